import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { present } from '../../shared/aws/expression.ts';
import { getItem, updateItem } from '../../shared/aws/table.ts';
import { urlKey } from '../../shared/edge/cache-keys.ts';
import { addEdge, findEdge, removeEdge, replaceEdge } from '../../shared/edge/edge-table.ts';
import { hashEdgeToken } from '../../shared/edge/edge-token.ts';
import { edgeIndex, edges, tokenTerm } from '../../shared/edge/registry-table.ts';
import { type EdgeScope, everybody } from '../../shared/edge/scope.ts';
import type { EdgeTier } from '../../shared/edge/tier.ts';
import { newId } from '../../shared/ground/id.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import type { Purge } from '../../shared/purge/purge-record.ts';
import type { ApiClient } from '../support/api-client.ts';
import type { AwsCall } from '../support/aws-calls.ts';
import { callSchedule, catchUpNow, untilCurrent } from '../support/catch-up.ts';
import { sendLines, varnishLine } from '../support/edge-log.ts';
import { eventually } from '../support/eventually.ts';
import { PurgeClient } from '../support/purge-client.ts';
import { RecordingEdge } from '../support/recording-edge.ts';
import { edgeItems, edgeState, keyOfEdge } from '../support/registry.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';

const consumer = 'CdnManagement-purge-consumer';

let run: TestRun;
/** Two of one account, and one of another. */
let first: Site;
let second: Site;
let foreign: Site;
const started: RecordingEdge[] = [];

beforeAll(async () => {
  run = await startTestRun();
  first = await makeSite(run.api, 'first.example.com');
  second = await makeSite(run.api, 'second.example.com');
  foreign = await makeSite(run.stranger, 'foreign.example.com');
});
afterAll(async () => {
  await run.end();
  await Promise.all(started.map((edge) => edge.stop()));
});
beforeEach(async () => {
  for (const { id } of await edgeItems()) if (id !== 'embedded') await removeEdge(id);
  run.aws.calls.length = 0;
});
afterEach(() => {
  run.aws.fault = () => undefined;
});

/** A property, and whose it is. */
interface Site {
  readonly api: ApiClient;
  readonly accountId: string;
  readonly id: string;
  readonly hostname: string;
}

async function makeSite(api: ApiClient, hostname: string): Promise<Site> {
  const body = { name: hostname, hostnames: [hostname], origin: { url: 'http://127.0.0.1:9' } };
  const { id } = (await api.post('/api/property', body)).data;
  const accountId = (await api.get('/api/account')).data.id;
  return { api, accountId, id, hostname };
}

function of(...sites: readonly Site[]): EdgeScope {
  return { accounts: [], properties: sites.map(({ id }) => id) };
}

function ofAccount({ accountId }: Site): EdgeScope {
  return { accounts: [accountId], properties: [] };
}

function settings(id: string, edge: RecordingEdge, scope: EdgeScope, tier: EdgeTier = 'edge') {
  return { id, driver: 'varnish', tier, url: edge.url, secret: 's'.repeat(32), scope } as const;
}

async function add(id: string, scope: EdgeScope, tier?: EdgeTier): Promise<RecordingEdge> {
  const edge = await new RecordingEdge().start();
  started.push(edge);
  await addEdge(settings(id, edge, scope, tier), 'hash');
  return edge;
}

let urls = 0;

/** A purge of a URL of its own; @returns its id, and the key that an edge is asked for */
async function send({ api, id, hostname }: Site) {
  const url = `/${++urls}`;
  const { status, data } = await api.post(`/api/property/${id}/purge`, { type: 'url', urls: [url] });
  expect(status).toBe(200);
  return { id: String(data.purgeId), key: urlKey(hostname, url) };
}

type Sent = Awaited<ReturnType<typeof send>>;

function until({ api, id }: Site, sent: Sent, status: Purge['status']): Promise<Purge> {
  return new PurgeClient(api, id).untilIs(sent.id, status);
}

/** The edges that a purge of the property goes to, but for the run's own. */
async function edgesOf(site: Site): Promise<readonly string[]> {
  return shown(await until(site, await send(site), 'completed'));
}

function shown({ edges }: Purge): readonly string[] {
  return edges.map(({ id }) => id).filter((id) => id !== 'embedded');
}

function isEdgeRetrying(site: Site, sent: Sent, edgeId: string): Promise<Purge> {
  return new PurgeClient(site.api, site.id).untilEdgeIs(sent.id, edgeId, 'retrying');
}

/** What the purge consumer asks of the registry. */
function registryCalls(): readonly string[] {
  return run.aws.calls
    .filter(({ functionName }) => functionName === consumer)
    .flatMap(({ operation, table }) =>
      /BatchGet/.test(operation) ? [operation] : /-edge/.test(table ?? '') ? [`${operation} ${table}`] : [],
    );
}

test('where no edge ever had a scope a purge makes one query of the registry', async () => {
  const edge = await add('plain', everybody);
  // As versions stored it that knew no scopes.
  await updateItem(
    edges,
    keyOfEdge('plain'),
    { remove: ['accounts', 'properties', 'formerTerms', 'version'] },
    present('id'),
  );
  expect(await edgesOf(first)).toEqual(['plain']);
  expect(registryCalls()).toEqual(['dynamodb:Query CdnManagement-edges']);
  await replaceEdge(settings('plain', edge, everybody), 'another hash');
  const key = { term: tokenTerm('another hash'), edgeId: 'plain' };
  expect(await getItem(edgeIndex, key)).toEqual(key);
  await removeEdge('plain');
});

test('an edge gets the purges of its accounts and properties only, from the very next one on until it is removed', async () => {
  const registered = new Map([
    ['all', await add('all', everybody)],
    ['account', await add('account', ofAccount(first))],
    ['property', await add('property', of(first))],
    ['several', await add('several', { ...of(second), accounts: [foreign.accountId] })],
  ]);
  const expected: readonly (readonly [Site, readonly string[]])[] = [
    [first, ['account', 'all', 'property']],
    [second, ['account', 'all', 'several']],
    [foreign, ['all', 'several']],
  ];
  for (const [site, ids] of expected) {
    const sent = await send(site);
    expect([...shown(await until(site, sent, 'completed'))].sort()).toEqual(ids);
    const asked = [...registered].filter(([, edge]) => edge.purged.has(sent.key)).map(([id]) => id);
    expect(asked.sort()).toEqual(ids);
  }
  await removeEdge('several');
  expect([...(await edgesOf(foreign)), ...(await edgesOf(second))].sort()).toEqual(['account', 'all', 'all']);
});

test('a scoped edge that was away is caught up, and nobody outside its scope waits for it', async () => {
  const away = await add('away', ofAccount(first));
  away.mood = () => 'refusing';
  const missed = [await send(first), await send(second)] as const;
  await isEdgeRetrying(first, missed[0], 'away');
  await isEdgeRetrying(second, missed[1], 'away');
  expect((await edgeState('away'))?.lagging?.isBreakerOpen).toBe(true);
  expect(await edgesOf(foreign)).toEqual([]);
  away.mood = () => 'well';
  await catchUpNow(run, 'away');
  await until(first, missed[0], 'completed');
  await until(second, missed[1], 'completed');
  await untilCurrent('away');
  expect([...away.purged.keys()].sort()).toEqual(missed.map(({ key }) => key).sort());
});

test('a scoped shield that was away gets its purges first, and then the edges below it; others do not wait', async () => {
  const shield = await add('shield', ofAccount(first), 'shield');
  const below = await add('below', everybody);
  shield.mood = () => 'refusing';
  const missed = await send(first);
  await isEdgeRetrying(first, missed, 'shield');
  expect(await edgesOf(foreign)).toEqual(['below']);
  const before = below.purged.get(missed.key)?.length ?? 0;
  shield.mood = () => 'well';
  await catchUpNow(run, 'shield');
  expect([...shown(await until(first, missed, 'completed'))].sort()).toEqual(['below', 'shield']);
  const [done = Number.NaN] = shield.purged.get(missed.key) ?? [];
  const after = below.purged.get(missed.key)?.slice(before) ?? [];
  expect(after.some((at) => at > done)).toBe(true);
});

test('a shield whose scope the property leaves while it is away is let go, once the edges below it were asked', async () => {
  const shield = await add('leaving', ofAccount(first), 'shield');
  const below = await add('under', everybody);
  shield.mood = () => 'refusing';
  const missed = await send(first);
  await isEdgeRetrying(first, missed, 'leaving');
  const before = below.purged.get(missed.key)?.length ?? 0;
  await replaceEdge(settings('leaving', shield, of(foreign), 'shield'));
  await catchUpNow(run, 'leaving');
  expect(shown(await until(first, missed, 'completed'))).toEqual(['under']);
  expect(below.purged.get(missed.key)?.length).toBeGreaterThan(before);
});

test('an edge whose scope changes while it lags keeps its breaker and what it missed; who left it does not wait', async () => {
  const edge = await add('moving', everybody);
  const move = (scope: EdgeScope) => replaceEdge(settings('moving', edge, scope));
  edge.mood = () => 'refusing';
  const missed = await send(first);
  const left = await send(foreign);
  await isEdgeRetrying(first, missed, 'moving');
  await isEdgeRetrying(foreign, left, 'moving');
  const { lagging } = (await edgeState('moving')) ?? {};
  await move(ofAccount(first));
  const { lagging: kept } = (await edgeState('moving')) ?? {};
  expect([kept?.since, kept?.isBreakerOpen]).toEqual([lagging?.since, true]);
  await catchUpNow(run, 'moving');
  expect(shown(await until(foreign, left, 'completed'))).toEqual([]);
  expect(await edgesOf(foreign)).toEqual([]);
  const spared = await send(second);
  await isEdgeRetrying(second, spared, 'moving');
  await move(of(foreign, first));
  await catchUpNow(run, 'moving');
  expect(shown(await until(second, spared, 'completed'))).toEqual([]);
  const others = await send(foreign);
  await isEdgeRetrying(foreign, others, 'moving');
  await move(everybody);
  const last = await send(second);
  await isEdgeRetrying(second, last, 'moving');
  edge.mood = () => 'well';
  await catchUpNow(run, 'moving');
  await until(first, missed, 'completed');
  await until(foreign, others, 'completed');
  await until(second, last, 'completed');
  expect([...edge.purged.keys()].sort()).toEqual([missed, others, last].map(({ key }) => key).sort());
  await untilCurrent('moving');
});

test('an edge whose scope changes while a purge looks for it gets what both scopes hold', async () => {
  const edge = await add('changing', ofAccount(first));
  await add('any', { accounts: [first.accountId], properties: [first.id] });
  await replaceEdge(settings('any', edge, everybody));
  const changes: readonly (readonly [term: string, to: EdgeScope])[] = [
    [`account#${first.accountId}`, of(first)],
    [`property#${first.id}`, everybody],
    ['everybody', ofAccount(first)],
    [`account#${first.accountId}`, everybody],
  ];
  for (const [term, to] of changes) {
    run.aws.calls.length = 0;
    const [found, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
    run.aws.fault = (operation, { TableName, ExpressionAttributeValues }, name) => {
      const isIndex = operation === 'dynamodb:Query' && TableName === 'CdnManagement-edge-index';
      if (name !== consumer || !isIndex || !JSON.stringify(ExpressionAttributeValues).includes(`"${term}"`))
        return undefined;
      found.resolve();
      return changed.promise;
    };
    const sent = await send(first);
    await found.promise;
    await eventually(
      async () => registryCalls().filter((call) => call.endsWith('-edge-index')),
      ({ length }) => length === 2,
    );
    await replaceEdge(settings('changing', edge, to));
    changed.resolve(undefined);
    expect(shown(await until(first, sent, 'completed'))).toContain('changing');
  }
});

/** Lets none of this process's transactions go through before so many have come. */
function gatherTransactions(count: number): void {
  const client = dynamodb();
  const send = client.send.bind(client) as (command: object) => Promise<never>;
  const all = Promise.withResolvers<void>();
  let come = 0;
  vi.spyOn(client, 'send').mockImplementation(async (command: object) => {
    if (command instanceof TransactWriteCommand && ++come <= count) {
      if (come === count) all.resolve();
      await all.promise;
    }
    return send(command);
  });
}

test('of two that add an edge of one id at once, for everybody and with a scope, one wins', async () => {
  const edge = await add('other', ofAccount(first));
  gatherTransactions(2);
  const added = await Promise.allSettled(
    [everybody, ofAccount(first)].map((scope) => addEdge(settings('twice', edge, scope), 'hash')),
  );
  vi.restoreAllMocks();
  const reasons = added.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(reasons).toEqual([expect.objectContaining({ code: 'conflict' })]);
  expect((await edgeItems()).filter(({ id }) => id === 'twice')).toHaveLength(1);
});

test.each([
  ['still waits to be let go', false],
  ['is forgotten', true],
])('an edge that was removed, and %s, is added anew with another scope', async (_, isForgotten) => {
  const id = `again-${isForgotten}`;
  const edge = await add(id, everybody);
  const remove = async () => {
    await removeEdge(id);
    expect([...(await edgesOf(first)), ...(await edgesOf(foreign))]).toEqual([]);
    if (!isForgotten) return;
    await callSchedule(run);
    await eventually(
      () => findEdge(id),
      (found) => found === undefined,
    );
  };
  await remove();
  await addEdge(settings(id, edge, of(foreign)), 'hash');
  expect([await edgesOf(first), await edgesOf(foreign)]).toEqual([[], [id]]);
  await remove();
  await addEdge(settings(id, edge, ofAccount(first)), 'hash');
  expect([await edgesOf(first), await edgesOf(foreign)]).toEqual([[id], []]);
});

const inScope = 10;
const counts = [inScope, volume(50, 100), volume(150, 1_000)];

test(`of ${counts.join(', ')} edges of as many scopes a purge costs the same for those in its scope`, async () => {
  const edge = await add('scoped-0', ofAccount(first));
  const sites = [first, second];
  for (let index = sites.length; index < 5; index += 1)
    sites.push(await makeSite(run.api, `more-${index}.example.com`));
  let registered = 1;
  const costs = [];
  for (const count of counts) {
    const indexes = Array.from({ length: count - registered }, (_, index) => registered + index);
    await inParallel(indexes, 16, (index) => {
      const scope = index < inScope ? ofAccount(first) : { accounts: [], properties: [newId()] };
      return addEdge(settings(`scoped-${index}`, edge, scope), hashEdgeToken(`edge_${index}`));
    });
    registered = count;
    costs.push({ ...(await costOf(sites)), callsOfLog: await callsOfLog(`edge_${count - 1}`) });
  }
  console.log(`${sites.length} purges and a log: ${costs.map((cost) => JSON.stringify(cost)).join(', ')}`);
  const [few, ...others] = costs;
  for (const many of others) {
    expect(many.callsOfLog).toBe(few?.callsOfLog);
    for (const name of ['calls', 'readUnits', 'writeUnits'] as const)
      expect(many[name] / (few?.[name] ?? 0)).toBeLessThanOrEqual(1.2);
  }
});

/** Of taking a line from an edge, and refusing one from nobody. */
async function callsOfLog(token: string): Promise<number> {
  run.aws.calls.length = 0;
  const lines = [varnishLine({ host: first.hostname })];
  expect((await sendLines(run.api, token, lines)).status).toBe(200);
  expect((await sendLines(run.api, 'edge_of_nobody', lines)).status).toBe(401);
  return run.aws.calls.filter(({ functionName }) => functionName.endsWith('edge-log-create')).length;
}

/** Of one purge of each property, without what the API remembers of the registry. */
async function costOf(sites: readonly Site[]) {
  run.aws.calls.length = 0;
  for (const site of sites) expect(await edgesOf(site)).toHaveLength(inScope);
  const calls = run.aws.calls.filter(
    ({ functionName, operation }) => functionName === consumer && operation.startsWith('dynamodb:'),
  );
  const sum = (units: (call: AwsCall) => number) => calls.reduce((all, call) => all + units(call), 0);
  return {
    calls: calls.length,
    readUnits: sum(({ readUnits }) => readUnits),
    writeUnits: sum(({ writeUnits }) => writeUnits),
  };
}
