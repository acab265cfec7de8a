import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ExecutionEnvironment } from '../../../infra/local/lambda/execution-environment.ts';
import type { ApiResponse } from '../../support/api-client.ts';
import type { AwsFault } from '../../support/aws-proxy.ts';
import { makeEdge, makeSite, type Served, sendLines, varnishLine } from '../../support/edge-log.ts';
import { withLimitsOfAws } from '../../support/limits-of-aws.ts';
import { startTestRun, type TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';

const siteCount = 12;
const minutes = 6;
const minute = 60_000;

let run: TestRun;
let token: string;
const sites: { readonly id: string; readonly host: string }[] = [];
let start: number;
const expected = { requests: 0, bytes: 0 };

beforeAll(async () => {
  run = await startTestRun({
    makeEnvironment: (source, log) => new ExecutionEnvironment(withLimitsOfAws(source), log),
  });
  token = await makeEdge('failing');
  for (let made = 0; made < siteCount; made += 1) sites.push(await makeSite(run.api));
  start = Date.now() - 2 * 3_600_000;
});
afterEach(() => {
  run.aws.fault = () => undefined;
});
afterAll(() => run.end());

let batches = 0;

/** Lines that take several transactions, and no two batches of the same. */
function nextBatch(): readonly string[] {
  batches += 1;
  return sites.flatMap(({ host }) =>
    Array.from({ length: minutes * 2 }, (_, index) => {
      const served: Served = {
        host,
        at: start + (index % minutes) * minute + batches,
        bytes: index + batches,
      };
      expected.requests += 1;
      expected.bytes += index + batches;
      return varnishLine(served);
    }),
  );
}

const faults: readonly AwsFault[] = [
  'refuse',
  'conflict',
  'lose',
  { type: 'ThrottlingException', status: 400 },
];

/** Each fault once and as many calls that succeed, in a random order: no run is spared one of them. */
function shuffledDeck(): (AwsFault | undefined)[] {
  const cards = faults.flatMap((fault) => [fault, undefined]);
  return cards
    .map((card) => ({ card, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ card }) => card);
}

/** The account's totals, at each granularity and as the sum of its properties: they must never disagree. */
async function totals() {
  const responses: ApiResponse[] = [];
  for (const granularity of ['minute', 'hour', 'day'])
    responses.push(await run.api.get(`/api/statistics?granularity=${granularity}&groupBy=property`));
  const seen = responses.flatMap(({ data }) => {
    const inGroups = data.groups.map((group: { totals: { requests: number } }) => group.totals.requests);
    return [data.totals.requests, inGroups.reduce((sum: number, each: number) => sum + each, 0)];
  });
  expect(new Set(seen).size).toBe(1);
  const { requests, bytes } = responses[0]?.data.totals ?? {};
  return { requests, bytes };
}

async function untilCounted(lines: readonly string[], key?: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const { status, data } = await sendLines(run.api, token, lines, key === undefined ? {} : { key });
    if (status === 200) {
      expect(data).toMatchObject({ accepted: lines.length, rejected: 0, unknownHost: 0 });
      return tries;
    }
    expect(status).toBe(503);
  }
}

test('a batch takes few writes: one call for each 99 counters', async () => {
  run.aws.calls.length = 0;
  expect(await untilCounted(nextBatch())).toBe(1);
  const writes = run.aws.calls.filter(({ operation }) => operation === 'dynamodb:TransactWriteItems');
  expect(writes.length).toBeGreaterThan(1);
  expect(writes.length).toBeLessThanOrEqual(4);
  expect(await totals()).toEqual(expected);
});

test.each([0, 1, 2, 3])('cut off after %i transactions, a retry counts exactly the rest', async (allowed) => {
  const before = { ...expected };
  const lines = nextBatch();
  let done = 0;
  run.aws.fault = (operation) =>
    operation === 'dynamodb:TransactWriteItems' && ++done > allowed ? 'refuse' : undefined;
  const { status } = await sendLines(run.api, token, lines);
  run.aws.fault = () => undefined;
  expect(status).toBe(allowed < 3 ? 503 : 200);
  if (allowed === 0) expect(await totals()).toEqual(before);
  await totals();
  expect(await untilCounted(lines)).toBe(1);
  expect(await totals()).toEqual(expected);
  expect((await sendLines(run.api, token, lines)).data.duplicate).toBe(true);
  expect(await totals()).toEqual(expected);
});

test('a batch that is cut off, and whose host names move meanwhile, still counts each line once', async () => {
  const moving = await makeSite(run.api);
  const lines = [
    ...nextBatch(),
    varnishLine({ host: 'nobody.example.com' }),
    ...Array.from({ length: 40 }, (_, index) => {
      expected.requests += 1;
      expected.bytes += 1;
      return varnishLine({ host: moving.host, at: start + index * minute, bytes: 1 });
    }),
  ];
  let done = 0;
  run.aws.fault = (operation) =>
    operation === 'dynamodb:TransactWriteItems' && ++done > 3 ? 'refuse' : undefined;
  expect((await sendLines(run.api, token, lines)).status).toBe(503);
  run.aws.fault = () => undefined;
  await run.api.send(`/api/property/${moving.id}`, {
    method: 'DELETE',
    headers: [['X-API-Key', run.apiKey]],
  });
  const body = { name: 'Moved', hostnames: [moving.host], origin: { url: 'http://127.0.0.1:9' } };
  await run.api.post('/api/property', body);
  await run.api.post('/api/property', { ...body, hostnames: ['nobody.example.com'] });
  expect((await sendLines(run.api, token, lines)).data).toMatchObject({
    accepted: lines.length - 1,
    unknownHost: 1,
  });
  expect(await totals()).toEqual(expected);
});

test('refusals, conflicts, throttling and lost responses at random: every line counts once', async () => {
  const met = new Set<AwsFault>();
  let deck: (AwsFault | undefined)[] = [];
  run.aws.fault = (operation) => {
    if (!/TransactWrite|BatchGet/.test(operation)) return undefined;
    if (deck.length === 0) deck = shuffledDeck();
    const fault = deck.pop();
    if (fault === undefined) return undefined;
    met.add(fault);
    return fault === 'conflict' && operation.includes('BatchGet') ? 'refuse' : fault;
  };
  const all = Array.from({ length: volume(6, 12) }, (_, index) => ({
    lines: nextBatch(),
    key: `random ${index}`,
  }));
  await Promise.all([...all, ...all].map(({ lines, key }) => untilCounted(lines, key)));
  expect(met).toEqual(new Set(faults));
  run.aws.fault = () => undefined;
  expect(await totals()).toEqual(expected);
});

test('a database that hangs is 503, and what it did is known afterwards', async () => {
  const lines = nextBatch();
  let calls = 0;
  run.aws.fault = (operation) =>
    operation === 'dynamodb:TransactWriteItems' && ++calls > 1 ? 'hang' : undefined;
  const response = await sendLines(run.api, token, lines);
  expect([response.status, response.headers['retry-after']]).toEqual([503, '5']);
  run.aws.fault = () => undefined;
  await untilCounted(lines);
  expect(await totals()).toEqual(expected);
});
