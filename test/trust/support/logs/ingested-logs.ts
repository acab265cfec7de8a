import type { ApiResponse } from '../../../support/api-client.ts';
import type { AwsFault } from '../../../support/aws-proxy.ts';
import type { TestRun } from '../../../support/test-run.ts';
import type { Tally } from '../tally.ts';
import { type Batch, batchOf, damaged, damages, linesOf, type Plan } from './log-batches.ts';
import type { Scene } from './log-lines.ts';
import { type LogModel, receiptOf } from './log-model.ts';

const faults: readonly (AwsFault | undefined)[] = [
  'lose',
  'refuse',
  'conflict',
  undefined,
  undefined,
  undefined,
];

/** An API to which batches are sent while its database fails now and then, and what it must have counted. */
export class IngestedLogs {
  private readonly run: TestRun;
  private readonly token: string;
  private readonly model: LogModel;
  private readonly tally: Tally;
  /** Batches without a key are known by their content. */
  private readonly contents = new Set<string>();

  constructor(run: TestRun, token: string, model: LogModel, tally: Tally) {
    this.run = run;
    this.token = token;
    this.model = model;
    this.tally = tally;
  }

  /** Every so many calls to the database one fails, in turn in another way. */
  failNowAndThen(): void {
    let calls = 0;
    this.run.aws.fault = (operation) =>
      operation === 'dynamodb:TransactWriteItems' ? faults[calls++ % faults.length] : undefined;
  }

  async try(number: number, plan: Plan, scene: Scene): Promise<void> {
    const batch = batchOf(linesOf(plan.makeLines, scene), plan.form);
    const key = plan.hasKey ? [['Idempotency-Key', `trust ${number}`] as const] : [];
    const headers = [['X-Edge-Token', this.token] as const, ...key, ...batch.headers];
    const { damage } = plan;
    if (damage) {
      this.tally.tried(batch.lines.length);
      this.expectStatus(
        await this.post(damaged(damage, batch, headers)),
        damages[damage],
        `${damage}: batch ${number}`,
      );
    }
    await this.sendAll(number, plan, { ...batch, headers });
    if (plan.isReused && plan.hasKey) {
      const other = {
        body: Buffer.concat([batch.text, Buffer.from('\nother')]),
        headers: headers.slice(0, 2),
      };
      this.expectStatus(await this.post(other), 409, `another body under the key of batch ${number}`);
    }
  }

  private async sendAll(number: number, { times, isAtOnce, hasKey }: Plan, batch: Batch): Promise<void> {
    const content = batch.text.toString('latin1');
    if (hasKey || !this.contents.has(content)) this.model.count(batch.lines);
    if (!hasKey) this.contents.add(content);
    const sends = Array.from({ length: times }, () => () => this.post(batch));
    this.tally.tried(batch.lines.length * times);
    const responses = isAtOnce ? await Promise.all(sends.map((send) => send())) : await inTurn(sends);
    for (const response of responses) this.expectReceipt(response, batch, number);
    if (responses.filter(({ data }) => data?.duplicate === false).length > 1)
      this.tally.found('doubled', `batch ${number} is new more than once`);
  }

  /** Sends the same again for as long as the API asks for it. */
  private async post({ body, headers }: Pick<Batch, 'body' | 'headers'>): Promise<ApiResponse> {
    for (;;) {
      const response = await this.run.api.send('/api/edge/logs', { method: 'POST', headers, body });
      if (response.status !== 503) return response;
    }
  }

  private expectStatus({ status, text }: ApiResponse, expected: number, what: string): void {
    if (status >= 500) this.tally.found('serverErrors', `${status} to ${what}`);
    else if (status !== expected) this.tally.found('wrong', `${status} to ${what}: ${text.slice(0, 300)}`);
  }

  private expectReceipt(response: ApiResponse, { lines, text }: Batch, number: number): void {
    this.expectStatus(response, 200, `batch ${number}`);
    if (response.status !== 200) return;
    const { accepted, rejected, unknownHost, errors } = response.data;
    const told = { accepted, rejected, unknownHost, lines: errors.map(({ line }: { line: number }) => line) };
    const expected = receiptOf(lines);
    if (JSON.stringify(told) === JSON.stringify(expected)) return;
    const difference = `${JSON.stringify(told)}, not ${JSON.stringify(expected)}`;
    this.tally.found(
      'wrong',
      `batch ${number} is ${difference}: ${JSON.stringify(text.toString('latin1').slice(0, 2_000))}`,
    );
  }
}

async function inTurn<Result>(works: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const work of works) results.push(await work());
  return results;
}
