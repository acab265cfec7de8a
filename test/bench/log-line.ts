import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { handler } from '../../functions/edge-log/create.ts';
import { cpuMillisecondsOf } from '../support/cpu-time.ts';
import { giveHostname, makeEdge, varnishLine } from '../support/edge-log.ts';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { withProgram } from './support/local-run.ts';
import { interleaved } from './support/medians.ts';

/** CPU of taking in a batch, from the event to the response, against that of JSON.parse of its lines. */
export const benchmark: Benchmark = { unit: 'µs of CPU a line', goal: 3, run };

const rounds = 30;
const warmUpRounds = 10;
const lineCount = 10_000;
const propertyCount = 100;

function hostOf(index: number): string {
  return `bench-${index}.example.com`;
}

/** Lines as a shipper has them: of some ten seconds, most of them hits. */
function linesOf(round: number): readonly string[] {
  const start = Date.now() - round * 60_000;
  return Array.from({ length: lineCount }, (_, index) =>
    varnishLine({
      at: start + Math.floor((index / lineCount) * 10_000),
      host: hostOf(Math.floor(Math.random() * propertyCount)),
      status: index % 50 === 0 ? 404 : 200,
      bytes: 1_000 + (index % 5_000),
      handling: index % 10 === 0 ? 'miss' : index % 25 === 0 ? 'pass' : 'hit',
    }),
  );
}

function eventOf(text: string, token: string): APIGatewayProxyEvent {
  return {
    body: gzipSync(text).toString('base64'),
    isBase64Encoded: true,
    multiValueHeaders: { 'X-Edge-Token': [token], 'Content-Encoding': ['gzip'] },
    requestContext: { requestId: 'bench' },
  } as unknown as APIGatewayProxyEvent;
}

async function microsecondsOf(work: () => unknown): Promise<number> {
  return ((await cpuMillisecondsOf(work)) * 1_000) / lineCount;
}

async function take(event: APIGatewayProxyEvent): Promise<void> {
  const { statusCode, body } = await handler(event, {} as Context);
  if (statusCode !== 200 || JSON.parse(body).data.accepted !== lineCount) throw new Error(body);
}

function parse(text: string): void {
  for (const line of text.trimEnd().split('\n')) JSON.parse(line);
}

function run(): Promise<Measured> {
  return withProgram(async ({ accountId }) => {
    const token = await makeEdge('bench');
    for (let index = 0; index < propertyCount; index += 1)
      await giveHostname(hostOf(index), { accountId, propertyId: `bench${index}` });
    let text = '';
    return interleaved(
      rounds,
      async (round) => {
        text = `${linesOf(round).join('\n')}\n`;
        const event = eventOf(text, token);
        return microsecondsOf(() => take(event));
      },
      () => microsecondsOf(() => parse(text)),
      warmUpRounds,
    );
  });
}
