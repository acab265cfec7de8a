import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { handler } from '../../functions/edge-log/create.ts';
import { giveHostname, makeEdge, varnishLine } from '../support/edge-log.ts';
import { percentile, withProgram } from './run.ts';

/** CPU of taking in a batch, from the event to the response, against that of JSON.parse alone, in turn. */
const rounds = 30;
const warmUpRounds = 10;
const lineCounts = [10_000, 28_000];
const propertyCounts = [3, 100];

function hostOf(index: number): string {
  return `bench-${index}.example.com`;
}

/** Lines as a shipper has them: of some ten seconds, most of them hits. */
function linesOf(count: number, properties: number, round: number): readonly string[] {
  const start = Date.now() - round * 60_000;
  return Array.from({ length: count }, (_, index) =>
    varnishLine({
      at: start + Math.floor((index / count) * 10_000),
      host: hostOf(Math.floor(Math.random() * properties)),
      status: index % 50 === 0 ? 404 : 200,
      bytes: 1_000 + (index % 5_000),
      handling: index % 10 === 0 ? 'miss' : index % 25 === 0 ? 'pass' : 'hit',
    }),
  );
}

function eventOf(lines: readonly string[], token: string): APIGatewayProxyEvent {
  return {
    body: gzipSync(`${lines.join('\n')}\n`).toString('base64'),
    isBase64Encoded: true,
    multiValueHeaders: { 'X-Edge-Token': [token], 'Content-Encoding': ['gzip'] },
    requestContext: { requestId: 'bench' },
  } as unknown as APIGatewayProxyEvent;
}

async function cpuMicroseconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function take(event: APIGatewayProxyEvent, expected: number): Promise<void> {
  const { statusCode, body } = await handler(event, {} as Context);
  if (statusCode !== 200 || JSON.parse(body).data.accepted !== expected) throw new Error(body);
}

await withProgram(async ({ accountId }) => {
  const token = await makeEdge('bench');
  for (let index = 0; index < Math.max(...propertyCounts); index += 1)
    await giveHostname(hostOf(index), { accountId, propertyId: `bench${index}` });
  for (const count of lineCounts)
    for (const properties of propertyCounts) {
      const parsing: number[] = [];
      const taking: number[] = [];
      for (let round = -warmUpRounds; round < rounds; round += 1) {
        const lines = linesOf(count, properties, round + warmUpRounds);
        const event = eventOf(lines, token);
        const parsed = await cpuMicroseconds(() => lines.forEach((line) => void JSON.parse(line)));
        const taken = await cpuMicroseconds(() => take(event, count));
        if (round < 0) continue;
        parsing.push(parsed / count);
        taking.push(taken / count);
      }
      const [parse, all] = [percentile(parsing, 0.5), percentile(taking, 0.5)];
      console.log(
        `${count} lines of ${properties} properties: JSON.parse ${parse.toFixed(2)} µs a line, all of ingestion ${all.toFixed(2)} µs, ratio ${(all / parse).toFixed(2)}`,
      );
    }
});
