import { hashEdgeToken } from '../../shared/edge/edge-token.ts';
import { tokenTerm } from '../../shared/edge/registry-table.ts';
import type { ConfigDocument } from '../../shared/edge-config/document.ts';
import type { ApiResponse } from './api-client.ts';
import type { TestRun } from './test-run.ts';

interface Page {
  readonly changes: readonly {
    readonly propertyId: string;
    readonly version: number;
    readonly document: ConfigDocument | null;
  }[];
  readonly cursor: string;
  readonly isMore: boolean;
  readonly isWhole: boolean;
}

/** What is needed of a run: its API, and the calls that its functions make. */
type PolledRun = Pick<TestRun, 'api' | 'aws'>;

/** Asks for an edge's configuration; with all kinds of key where no others are given. */
export function poll(
  run: PolledRun,
  token: string,
  query: Readonly<Record<string, string>> = {},
): Promise<ApiResponse> {
  const parameters = new URLSearchParams({ keys: 'h,u,p,t,r', ...query });
  return run.api.send(`/api/edge/config?${parameters}`, {
    method: 'GET',
    headers: [['X-Edge-Token', token]],
  });
}

const functionName = 'CdnManagement-edge-config-get';

/** Keeps every other edge of the run from asking, so that what is counted is of this one. */
export function holdOffOthers({ aws }: PolledRun, token: string): void {
  const term = tokenTerm(hashEdgeToken(token));
  aws.fault = (operation, { TableName, ExpressionAttributeValues }, caller) =>
    caller === functionName &&
    operation === 'dynamodb:Query' &&
    TableName === 'CdnManagement-edge-index' &&
    !JSON.stringify(ExpressionAttributeValues).includes(term)
      ? 'refuse'
      : undefined;
}

/** An edge that keeps what it is given, and reports it. */
export class PollingEdge {
  readonly documents = new Map<string, ConfigDocument>();
  cursor: string | undefined;
  private polls = 0;
  private applied: string[] | undefined;
  private readonly named = new Set<string>();
  private readonly run: PolledRun;
  private readonly token: string;

  constructor(run: PolledRun, token: string) {
    this.run = run;
    this.token = token;
  }

  /** Takes pages until there are no more. @returns them */
  async sync(): Promise<readonly Page[]> {
    const pages = [await this.poll()];
    while (pages.at(-1)?.isMore) pages.push(await this.poll());
    return pages;
  }

  async poll(): Promise<Page> {
    this.polls += 1;
    const { status, data, text } = await poll(this.run, this.token, {
      ...(this.cursor !== undefined && { cursor: this.cursor }),
      ...(this.applied && { applied: this.applied.join(',') }),
    });
    if (status !== 200) throw new Error(text);
    this.applied = data.cursor === this.cursor ? undefined : [];
    this.cursor = data.cursor;
    this.take(data);
    return data;
  }

  /** How many requests it made meanwhile, and what units their function read and wrote. */
  async counted(
    work: () => Promise<unknown>,
  ): Promise<readonly [requests: number, read: number, written: number]> {
    const { polls } = this;
    const { calls } = this.run.aws;
    calls.length = 0;
    await work();
    const own = calls.filter((call) => call.functionName === functionName);
    const sum = (units: (call: (typeof own)[number]) => number) =>
      own.reduce((total, call) => total + units(call), 0);
    return [this.polls - polls, sum(({ readUnits }) => readUnits), sum(({ writeUnits }) => writeUnits)];
  }

  private take({ changes, isWhole, isMore }: Page): void {
    if (!isWhole) this.named.clear();
    for (const { propertyId, version, document } of changes) {
      this.named.add(propertyId);
      this.applied?.push(`${propertyId}:${version}`);
      if (document) this.documents.set(propertyId, document);
      else this.documents.delete(propertyId);
    }
    if (!isWhole || isMore) return;
    for (const id of this.documents.keys()) if (!this.named.has(id)) this.documents.delete(id);
    this.named.clear();
  }
}
