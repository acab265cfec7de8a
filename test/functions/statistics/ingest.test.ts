import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scanAll } from '../../../shared/aws/scan.ts';
import { putItem } from '../../../shared/aws/table.ts';
import { removeEdge, replaceEdge } from '../../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../../shared/edge/edge-token.ts';
import { edgeIndex, tokenTerm } from '../../../shared/edge/registry-table.ts';
import { logBatches } from '../../../shared/statistics/log-batch-table.ts';
import { madeEdge, makeEdge, makeSite, sendLines, varnishLine } from '../../support/edge-log.ts';
import { startTestRun, type TestRun } from '../../support/test-run.ts';

let run: TestRun;
let token: string;

beforeAll(async () => {
  run = await startTestRun();
  token = await makeEdge('paris-1');
});
afterAll(() => run.end());

async function totalsOf(id: string) {
  return (await run.api.get(`/api/property/${id}/statistics`)).data.totals;
}

async function requestsOf(id: string): Promise<number> {
  return (await totalsOf(id)).requests;
}

const zero = {
  requests: 0,
  bytes: 0,
  hits: 0,
  misses: 0,
  passes: 0,
  hitRatio: null,
  status2xx: 0,
  status3xx: 0,
  status4xx: 0,
  status5xx: 0,
};

test('lines of Varnish count by handling and status', async () => {
  const { id, host } = await makeSite(run.api);
  const lines = [
    varnishLine({ host, bytes: 1 }),
    varnishLine({ host: `${host.toUpperCase()}:8080`, bytes: 10 }),
    varnishLine({ host: `${host}.`, handling: 'miss', bytes: 100, status: 404 }),
    varnishLine({ host, handling: 'hitmiss', status: 301 }),
    ...['pass', 'pipe', 'synth', 'hitpass'].map((handling) => varnishLine({ host, handling, status: 503 })),
  ];
  const { status, data } = await sendLines(run.api, token, lines, { gzip: true });
  expect([status, data]).toEqual([
    200,
    { accepted: 8, rejected: 0, unknownHost: 0, duplicate: false, errors: [] },
  ]);
  expect(await totalsOf(id)).toEqual({
    requests: 8,
    bytes: 611,
    hits: 2,
    misses: 2,
    passes: 4,
    hitRatio: 0.5,
    status2xx: 2,
    status3xx: 1,
    status4xx: 1,
    status5xx: 4,
  });
});

test('a line that cannot be read loses no other; hosts of nobody are dropped', async () => {
  const { id, host } = await makeSite(run.api);
  const good = varnishLine({ host });
  const bad = [
    '{"ts":1',
    '[]',
    'null',
    good.replace(/"ts":"[^"]*"/, '"ts":"soon"'),
    good.replace('"s":200', '"s":99'),
    good.replace('"b":100', '"b":-5'),
    good.replace('"hd":"hit"', '"hd":"luck"'),
    good.replace('"hd":"hit",', ''),
    good.replace('"m":"GET"', '"m":"PURGE"'),
    good.replace(`"h":"${host}"`, '"h":7'),
  ];
  const nobodys = [varnishLine({ host: 'nobody.example.com' }), varnishLine({ host: '127.0.0.1:80' })];
  const { data } = await sendLines(run.api, token, [good, ...bad, '', ...nobodys, good]);
  expect(data).toMatchObject({ accepted: 2, rejected: 10, unknownHost: 2, duplicate: false });
  expect(data.errors.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(data.errors.map(({ reason }: { reason: string }) => reason)).toEqual([
    'not a JSON object',
    'ts is not a time in Unix seconds',
    'not a JSON object',
    'ts is not a time in Unix seconds',
    's is not a status from 100 to 599',
    'b is not a number of bytes',
    'hd is no handling of Varnish',
    'hd is no handling of Varnish',
    'a purge is not traffic',
    'h is not a host',
  ]);
  expect(await requestsOf(id)).toBe(2);
});

test('a batch without any line is taken', async () => {
  const { status, data } = await sendLines(run.api, token, [''], { gzip: true });
  expect([status, data]).toMatchObject([200, { accepted: 0, rejected: 0, unknownHost: 0 }]);
});

test('only the first 20 errors are told', async () => {
  const { data } = await sendLines(run.api, token, Array<string>(30).fill('x'));
  expect([data.rejected, data.errors.length]).toEqual([30, 20]);
});

test('where Varnish has no number, its line counts all the same', async () => {
  const { id, host } = await makeSite(run.api);
  const line = varnishLine({ host });
  const lines = [
    line.replace('"b":100', '"b":-'),
    line.replace('0.000123', ''),
    line.replace('0.000123', '-'),
  ];
  expect((await sendLines(run.api, token, lines)).data).toMatchObject({ accepted: 3, rejected: 0 });
  expect(await totalsOf(id)).toMatchObject({ requests: 3, bytes: 200 });
});

test('a batch that is sent twice counts once, by its content', async () => {
  const { id, host } = await makeSite(run.api);
  const lines = [varnishLine({ host }), 'broken', varnishLine({ host: 'nobody.example.com' })];
  const first = await sendLines(run.api, token, lines);
  const second = await sendLines(run.api, token, lines, { gzip: true });
  expect(second.data).toEqual({ ...first.data, duplicate: true });
  expect(await requestsOf(id)).toBe(1);
  const other = await makeEdge('same-lines');
  expect((await sendLines(run.api, other, lines)).data.duplicate).toBe(false);
  expect(await requestsOf(id)).toBe(2);
});

test('that a batch was counted is known for longer than any of its lines would be taken', async () => {
  const { host } = await makeSite(run.api);
  const { data } = await sendLines(run.api, token, [varnishLine({ host, at: Date.now() + 3_500_000 })]);
  expect(data.accepted).toBe(1);
  const notes = await scanAll(logBatches);
  const keptFor = notes.map(({ expiresAt }) => expiresAt - Date.now() / 1000);
  expect(Math.min(...keptFor)).toBeGreaterThan(35 * 24 * 3600 + 3_600);
});

test('a batch is known by its Idempotency-Key, which names one body only', async () => {
  const { id, host } = await makeSite(run.api);
  const lines = [varnishLine({ host })];
  const responses = [];
  for (const key of ['a', 'a', 'b']) responses.push(await sendLines(run.api, token, lines, { key }));
  expect(responses.map(({ data }) => data.duplicate)).toEqual([false, true, false]);
  const other = await sendLines(run.api, token, [varnishLine({ host, bytes: 7 })], { key: 'a' });
  expect([other.status, await requestsOf(id)]).toEqual([409, 2]);
  expect((await sendLines(run.api, token, lines, { key: 'x'.repeat(256) })).status).toBe(400);
});

test('twenty at once with one batch count once', async () => {
  const { id, host } = await makeSite(run.api);
  const lines = Array.from({ length: 200 }, (_, index) =>
    varnishLine({ host, at: Date.now() - index * 60_000 }),
  );
  const atOnce = (key: string, sent: readonly string[]) =>
    Promise.all(Array.from({ length: 20 }, () => sendLines(run.api, token, sent, { key })));
  // So that all of them are started already when it comes to it.
  await atOnce('to warm up', ['']);
  const responses = await atOnce('at once', lines);
  expect(responses.map(({ status, data }) => [status, data.accepted])).toEqual(
    responses.map(() => [200, 200]),
  );
  expect(responses.filter(({ data }) => !data.duplicate)).toHaveLength(1);
  expect(await requestsOf(id)).toBe(200);
});

test('of a host outside the edge’s scope nothing is counted: it is nobody’s there', async () => {
  const sites = [await makeSite(run.api), await makeSite(run.api), await makeSite(run.stranger)] as const;
  const lines = sites.map(({ host }) => varnishLine({ host }));
  const [first, second, foreign] = sites;
  const scoped = await makeEdge('scoped', { accounts: [], properties: [second.id] });
  const receipts = [(await sendLines(run.api, scoped, lines)).data];
  await replaceEdge({ ...madeEdge('scoped'), scope: { accounts: [run.accountId], properties: [] } });
  receipts.push((await sendLines(run.api, scoped, [...lines, ...lines])).data);
  expect(receipts).toMatchObject([
    { accepted: 1, unknownHost: 2, rejected: 0 },
    { accepted: 4, unknownHost: 2, rejected: 0 },
  ]);
  const { totals } = (await run.stranger.get(`/api/property/${foreign.id}/statistics`)).data;
  expect([await requestsOf(first.id), await requestsOf(second.id), totals.requests]).toEqual([2, 3, 0]);
});

test('without a token of a registered edge nothing is counted', async () => {
  const { id, host } = await makeSite(run.api);
  const lines = [varnishLine({ host })];
  const removed = await makeEdge('removed');
  const renewed = await makeEdge('renewed');
  expect((await sendLines(run.api, removed, lines)).status).toBe(200);
  await removeEdge('removed');
  const [newToken, misfiled] = [newEdgeToken(), newEdgeToken()];
  await replaceEdge(madeEdge('renewed'), hashEdgeToken(newToken));
  expect((await sendLines(run.api, newToken, [''])).status).toBe(200);
  await putItem(edgeIndex, { term: tokenTerm(hashEdgeToken(misfiled)), edgeId: 'paris-1' });
  const body = `${lines[0]}\n`;
  const send = (...headers: (readonly [string, string])[]) =>
    run.api.send('/api/edge/logs', { method: 'POST', headers, body });
  const responses = [
    await send(),
    await send(['X-Edge-Token', 'edge_unknown']),
    await send(['X-Edge-Token', removed]),
    await send(['X-Edge-Token', renewed]),
    await send(['X-Edge-Token', misfiled]),
    await send(['X-Edge-Token', token], ['x-edge-token', token]),
    await send(['X-API-Key', run.apiKey]),
  ];
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 401));
  for (const { envelope } of responses) expect(envelope.message).toMatch(/X-Edge-Token/);
  expect(await requestsOf(id)).toBe(1);
});

function post(body: Buffer | string, ...headers: (readonly [string, string])[]) {
  return run.api.send('/api/edge/logs', {
    method: 'POST',
    headers: [['X-Edge-Token', token], ...headers],
    body,
  });
}

test('what is no NDJSON and no gzip is refused', async () => {
  const line = `${varnishLine({ host: 'nobody.example.com' })}\n`;
  expect((await post(line, ['Content-Encoding', 'br'])).status).toBe(415);
  expect((await post(line, ['Content-Type', 'text/html'])).status).toBe(415);
  expect((await post(line, ['Content-Encoding', 'gzip'])).status).toBe(400);
  expect((await post(gzipSync(line).subarray(0, 60))).status).toBe(400);
  expect((await post('')).status).toBe(400);
  for (const type of [
    'application/x-ndjson',
    'application/json',
    'text/plain; charset=utf-8',
    'application/gzip',
  ])
    expect([type, (await post(line, ['Content-Type', type])).status]).toEqual([type, 200]);
  expect((await post(gzipSync(line), ['Content-Type', 'application/gzip'])).status).toBe(200);
});

test('sizes end where they are said to end', async () => {
  const line = (bytes: number): string => {
    const empty = varnishLine({ host: 'nobody.example.com' });
    return empty.replace('/page', `/${'x'.repeat(bytes - empty.length + 4)}`);
  };
  const lines = (bytes: number): string => `${line(9_999)}\n`.repeat(Math.floor(bytes / 10_000));
  const mebibyte = 1024 * 1024;
  expect((await post(line(16 * 1024))).status).toBe(200);
  expect((await post(line(16 * 1024 + 1))).status).toBe(413);
  expect((await post(lines(4 * mebibyte))).status).toBe(200);
  expect((await post(`${lines(4 * mebibyte)}${line(9_999)}\n`)).status).toBe(413);
  expect((await post(gzipSync(lines(32 * mebibyte)))).status).toBe(200);
  expect((await post(gzipSync(`${lines(32 * mebibyte)}${line(9_999)}\n`))).status).toBe(413);
  expect((await post(gzipSync(Buffer.alloc(128 * mebibyte)))).status).toBe(413);
});

test('lines are counted before they are read: more than 50,000 are refused at once', async () => {
  const refusal = 'The body holds more than 50,000 lines. Split it over several requests.';
  const lines = (count: number): Buffer => gzipSync('x\n'.repeat(count));
  expect((await post(lines(50_000))).data).toMatchObject({ rejected: 50_000 });
  for (const body of [lines(50_001), gzipSync(`${'x\n'.repeat(50_000)}x`), Buffer.alloc(60_000, '\n')]) {
    const { status, envelope } = await post(body);
    expect([status, envelope.message]).toEqual([413, refusal]);
  }
  const before = performance.now();
  const { status, envelope } = await post(lines(16_000_000));
  expect([status, envelope.message]).toEqual([413, refusal]);
  expect(performance.now() - before).toBeLessThan(5_000);
});

test('a line is as long as its bytes, which need not be UTF-8', async () => {
  const { host } = await makeSite(run.api);
  const [head = '', tail = ''] = varnishLine({ host }).split('/page');
  const ofBytes = (length: number): Buffer =>
    Buffer.concat([
      Buffer.from(`${head}/`),
      Buffer.alloc(length - head.length - tail.length - 1, 0xff),
      Buffer.from(tail),
    ]);
  expect((await post(ofBytes(16 * 1024))).data).toMatchObject({ accepted: 1, rejected: 0 });
  const { status, envelope } = await post(
    Buffer.concat([ofBytes(200), Buffer.from('\n'), ofBytes(16 * 1024 + 1)]),
  );
  expect([status, envelope.message]).toEqual([413, 'Line 2 is longer than 16 KiB. Shorten it.']);
});

test('a host that is longer than any name is nobody’s, however it is written', async () => {
  const { host } = await makeSite(run.api);
  const ideographs = String.fromCharCode(...Array.from({ length: 5_000 }, (_, index) => 0x4e00 + index));
  const hosts = [
    'h'.repeat(15_500),
    `${'h'.repeat(254)}.example.com`,
    `${'a.'.repeat(126)}com`,
    '%22'.repeat(5_000),
  ];
  const international = Array.from({ length: 1_000 }, (_, index) => `${index}${ideographs}.example.com`);
  const lines = [...hosts, ...international, `${host}:${'0'.repeat(15_000)}`].map((each) =>
    varnishLine({ host: each }),
  );
  expect((await sendLines(run.api, token, lines, { gzip: true })).data).toMatchObject({
    accepted: 1,
    rejected: 0,
    unknownHost: 1_004,
  });
});

test('a line counts in the bucket of its own time, and an absurd one not at all', async () => {
  const { id, host } = await makeSite(run.api);
  const now = Date.now();
  const minute = 60_000;
  const day = 24 * 60 * minute;
  const midnight = Math.floor(now / day) * day;
  const monthsEnd = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth(), 1);
  const times = [
    midnight - 1,
    midnight,
    now + 10 * minute,
    now - 10 * minute,
    now - day,
    monthsEnd - 1,
    monthsEnd,
  ];
  const absurd = [now - 36 * day, now + 2 * 60 * minute, 0, now * 1000];
  const sent = await sendLines(
    run.api,
    token,
    [...times, ...absurd].map((at) => varnishLine({ host, at })),
  );
  expect(sent.data).toMatchObject({ accepted: 7, rejected: 4 });
  expect(sent.data.errors.map(({ reason }: { reason: string }) => reason)).toEqual([
    'ts is more than 35 days ago',
    'ts is more than an hour in the future',
    'ts is more than 35 days ago',
    'ts is more than an hour in the future',
  ]);
  for (const [granularity, width] of [
    ['minute', minute],
    ['hour', 60 * minute],
    ['day', day],
  ] as const) {
    for (const at of times) {
      const start = Math.floor(at / width) * width;
      const [from, to] = [start, start + width].map((time) => new Date(time).toISOString());
      const { data } = await run.api.get(
        `/api/property/${id}/statistics?from=${from}&to=${to}&granularity=${granularity}`,
      );
      const expected = times.filter((time) => time >= start && time < start + width).length;
      expect([granularity, at, data.totals.requests]).toEqual([granularity, at, expected]);
      expect(data.series).toEqual([
        { time: from, complete: start + width + minute <= now, ...zero, ...data.totals },
      ]);
    }
  }
});

test('a paused property counts, a deleted one does not, and a host name counts for who has it', async () => {
  const { id, host } = await makeSite(run.api);
  const patch = (body: object) =>
    run.api.send(`/api/property/${id}`, { method: 'PATCH', headers: [['X-API-Key', run.apiKey]], body });
  await patch({ status: 'paused' });
  expect((await sendLines(run.api, token, [varnishLine({ host })])).data.accepted).toBe(1);
  const account = async () => (await run.api.get('/api/statistics')).data.totals.requests;
  const before = await account();
  await run.api.send(`/api/property/${id}`, { method: 'DELETE', headers: [['X-API-Key', run.apiKey]] });
  expect((await sendLines(run.api, token, [varnishLine({ host })])).data.unknownHost).toBe(1);
  const body = { name: 'Moved', hostnames: [host], origin: { url: 'http://127.0.0.1:9' } };
  const moved = (await run.stranger.post('/api/property', body)).data.id;
  expect((await sendLines(run.api, token, [varnishLine({ host })])).data.accepted).toBe(1);
  const { data } = await run.stranger.get(`/api/property/${moved}/statistics`);
  expect([data.totals.requests, await account()]).toEqual([1, before]);
});

test('every status with every result of the cache, in one minute, stays within DynamoDB’s limits', async () => {
  const { id, host } = await makeSite(run.api);
  const at = Date.now() - 3_600_000;
  const lines = Array.from({ length: 500 }, (_, index) => index + 100).flatMap((status) =>
    ['hit', 'miss', 'pass'].map((handling) =>
      varnishLine({ host, at, status, handling, bytes: 1_000_000_000 }),
    ),
  );
  const expressions: string[] = [];
  run.aws.fault = (_, { TransactItems }) => {
    for (const { Update } of (TransactItems ?? []) as { Update?: { UpdateExpression: string } }[])
      if (Update) expressions.push(Update.UpdateExpression);
    return undefined;
  };
  expect((await sendLines(run.api, token, lines)).data.accepted).toBe(1_500);
  run.aws.fault = () => undefined;
  expect(expressions.length).toBeGreaterThan(0);
  for (const expression of expressions) {
    expect(expression.length).toBeLessThanOrEqual(4_096);
    expect(expression.split(/[ ,]:/).length).toBeLessThanOrEqual(300);
  }
  expect(await totalsOf(id)).toMatchObject({
    requests: 1_500,
    bytes: 1_500_000_000_000,
    hits: 500,
    misses: 500,
    passes: 500,
    status2xx: 300,
    status5xx: 300,
  });
});

test('thousands of hosts of nobody make no more work for the database than one', async () => {
  const { host } = await makeSite(run.api);
  const nobodys = Array.from({ length: 3_000 }, (_, index) => varnishLine({ host: `n${index}.example.com` }));
  run.aws.calls.length = 0;
  const { data } = await sendLines(run.api, token, [...nobodys, varnishLine({ host })]);
  expect(data).toMatchObject({ accepted: 1, unknownHost: 3_000 });
  const writes = run.aws.calls.filter(({ operation }) => operation.includes('Write'));
  expect(writes).toHaveLength(1);
});
