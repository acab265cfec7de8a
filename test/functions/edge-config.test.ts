import { createServer, type IncomingHttpHeaders } from 'node:http';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listen } from '../../infra/local/host/listen.ts';
import { edgeTable, listEdgeRows } from '../../infra/operator/commands/edge-rows.ts';
import { createAccount } from '../../shared/account/account-table.ts';
import { dynamodb, tableName } from '../../shared/aws/dynamodb.ts';
import { putItem } from '../../shared/aws/table.ts';
import { addEdge, findEdge, removeEdge, replaceEdge } from '../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../shared/edge/edge-token.ts';
import { headers, isFresh, verify } from '../../shared/edge/purge-protocol.ts';
import type { EdgeScope } from '../../shared/edge/scope.ts';
import { deploymentsOf } from '../../shared/edge-config/deployment-table.ts';
import { writeMarks } from '../../shared/edge-config/edge-sync-table.ts';
import { isId, newId } from '../../shared/ground/id.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import { changesOf, readCounters, shardOf } from '../../shared/property/config-change-table.ts';
import { deleteProperty, updateProperty } from '../../shared/property/property-change-table.ts';
import { CreateProperty } from '../../shared/property/property-input.ts';
import type { PropertyOwner } from '../../shared/property/property-owner.ts';
import { createProperty } from '../../shared/property/property-table.ts';
import { createRule } from '../../shared/rule/create-rule.ts';
import { orphanRulesStep } from '../../shared/rule/orphaned-rules-table.ts';
import { CreateRule } from '../../shared/rule/rule.ts';
import { deleteRule, updateRule } from '../../shared/rule/rule-change-table.ts';
import { rules } from '../../shared/rule/rule-table.ts';
import { callSchedule } from '../support/catch-up.ts';
import { holdOffOthers, PollingEdge, poll } from '../support/config-poll.ts';
import { madeEdge, makeEdge } from '../support/edge-log.ts';
import { eventually } from '../support/eventually.ts';
import { matcherOf } from '../support/filter-pattern.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { putAll } from '../support/put-all.ts';
import { putProperties } from '../support/put-properties.ts';
import { templateResources } from '../support/template-file.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';

let run: TestRun;

beforeAll(async () => {
  process.env.ALLOW_PRIVATE_ORIGINS = 'true';
  run = await startTestRun();
  await removeEdge('embedded');
});
afterAll(() => run.end());
afterEach(() => {
  run.aws.fault = () => undefined;
});

let sites = 0;

function site() {
  sites += 1;
  const hostnames = [`site-${sites}.example.com`];
  return CreateProperty.parse({ name: 'Site', hostnames, origin: { url: 'https://origin.example.com' } });
}

async function makeProperty(accountId = run.accountId, id = newId()): Promise<PropertyOwner> {
  await createProperty(accountId, site(), { id, startedAt: new Date() });
  return { accountId, propertyId: id };
}

function removeProperty({ accountId, propertyId }: PropertyOwner): Promise<void> {
  return deleteProperty(accountId, propertyId, undefined, orphanRulesStep(accountId, propertyId));
}

function rename({ accountId, propertyId }: PropertyOwner, name = newId()): Promise<unknown> {
  return updateProperty(accountId, propertyId, { name }, undefined);
}

async function makeRule({ accountId, propertyId }: PropertyOwner): Promise<string> {
  const rule = CreateRule.parse({ name: 'Rule', conditions: [], actions: [{ type: 'bypassCache' }] });
  return (await createRule(accountId, propertyId, rule, { id: newId(), startedAt: new Date() })).id;
}

async function makeOwner(): Promise<string> {
  return (await createAccount('Owner')).accountId;
}

async function edgeOf(accountId: string, id = `of-${accountId}`): Promise<PollingEdge> {
  return new PollingEdge(run, await makeEdge(id, { accounts: [accountId], properties: [] }));
}

/** A property's changes as they are known, counted beside what the tables count. */
interface Known extends PropertyOwner {
  version: number;
  rules: string[];
}

type Work = (known: Known) => Promise<0 | 1>;

const works: Readonly<Record<string, Work>> = {
  rename: (known) => rename(known).then(() => 1),
  keep: (known) =>
    updateProperty(known.accountId, known.propertyId, { status: 'active' }, undefined).then(() => 0),
  addRule: async (known) => {
    known.rules.push(await makeRule(known));
    return 1;
  },
  changeRule: async ({ accountId, propertyId, rules: [id] }) => {
    if (!id) return 0;
    await updateRule(accountId, propertyId, id, { name: newId() }, undefined);
    return 1;
  },
  keepRule: async ({ accountId, propertyId, rules: [id] }) => {
    if (id) await updateRule(accountId, propertyId, id, { enabled: true }, undefined);
    return 0;
  },
  removeRule: async ({ accountId, propertyId, rules }) => {
    const id = rules.pop();
    if (!id) return 0;
    await deleteRule(accountId, propertyId, id, undefined);
    return 1;
  },
  failToRemoveRule: ({ accountId, propertyId }) =>
    deleteRule(accountId, propertyId, newId(), undefined).then(
      () => 1,
      () => 0,
    ),
};

test('an edge gets properties whole, then only what changes, and nothing of a deleted one', async () => {
  const accountId = await makeOwner();
  const [first, second] = [await makeProperty(accountId), await makeProperty(accountId)];
  const edge = await edgeOf(accountId);
  const whole = await edge.sync();
  expect([whole.every(({ isWhole }) => isWhole), edge.documents.size]).toEqual([true, 2]);
  const ruleId = await makeRule(first);
  const [changed] = await edge.sync();
  expect(changed).toMatchObject({ isWhole: false, changes: [{ propertyId: first.propertyId, version: 2 }] });
  expect(edge.documents.get(first.propertyId)).toMatchObject({ version: 2, rules: [{ id: ruleId }] });
  await removeProperty(second);
  expect((await edge.sync()).flatMap(({ changes }) => changes)).toEqual([
    { propertyId: second.propertyId, version: 2, document: null },
  ]);
  expect((await edge.sync())[0]?.changes).toEqual([]);
  edge.cursor = undefined;
  const anew = (await edge.sync()).flatMap(({ changes }) => changes.map(({ propertyId }) => propertyId));
  expect(anew).toEqual([first.propertyId]);
});

test('a document tells when each host name was claimed, and a name that was kept keeps its time', async () => {
  const accountId = await makeOwner();
  const owner = await makeProperty(accountId);
  const edge = await edgeOf(accountId);
  await edge.sync();
  const [kept] = edge.documents.get(owner.propertyId)?.hostnames ?? [];
  const later = `later-${sites}.example.com`;
  await updateProperty(accountId, owner.propertyId, { hostnames: [later, kept?.hostname] }, undefined);
  await edge.sync();
  const [added, again] = edge.documents.get(owner.propertyId)?.hostnames ?? [];
  expect([again, added?.hostname]).toEqual([kept, later]);
  expect(added?.claimedAt).toBeGreaterThanOrEqual(kept?.claimedAt ?? Number.POSITIVE_INFINITY);
});

test('what is changed while it is read comes whole with the next page', async () => {
  const accountId = await makeOwner();
  const owner = await makeProperty(accountId);
  const edge = await edgeOf(accountId);
  let isChanged = false;
  run.aws.fault = async (operation, { RequestItems }, caller) => {
    const isLastRead =
      caller === 'CdnManagement-edge-config-get' &&
      operation === 'dynamodb:BatchGetItem' &&
      'CdnManagement-config-changes' in Object(RequestItems);
    if (!isLastRead || isChanged) return undefined;
    isChanged = true;
    await makeRule(owner);
    return undefined;
  };
  const pages = await edge.sync();
  expect([isChanged, pages.flatMap(({ changes }) => changes.map(({ version }) => version))]).toEqual([
    true,
    [2],
  ]);
  expect(edge.documents.get(owner.propertyId)).toMatchObject({ version: 2, rules: [{ name: 'Rule' }] });
});

test('the document of a version is compiled once, whoever asks for it, and anew when it changes', async () => {
  const accountId = await makeOwner();
  const owner = await makeProperty(accountId);
  const [first, second] = [await edgeOf(accountId, 'first'), await edgeOf(accountId, 'second')];
  await first.sync();
  run.aws.calls.length = 0;
  await second.sync();
  const rulesRead = () => run.aws.calls.filter(({ table }) => table === 'CdnManagement-rules').length;
  expect([rulesRead(), second.documents]).toEqual([0, first.documents]);
  await makeRule(owner);
  await second.sync();
  expect(second.documents.get(owner.propertyId)).toMatchObject({ version: 2, rules: [{ name: 'Rule' }] });
});

/** One item of a change, as a reader may see it before the others. */
async function setItem(key: object, set: Readonly<Record<string, number>>): Promise<void> {
  const names = Object.keys(set);
  await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('configChanges'),
      Key: key,
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, set[name]])),
    }),
  );
}

test('a change that is counted before it can be read is not passed by', async () => {
  const accountId = await makeOwner();
  const { propertyId } = await makeProperty(accountId);
  const token = await makeEdge(newId(), { accounts: [accountId], properties: [] });
  const cursor = await cursorAtEnd(token);
  const shard = shardOf(propertyId);
  const sequence = ((await readCounters()).sequences[Number(shard)] ?? 0) + 1;
  await setItem({ shard: 'counters', id: shard }, { sequence, writtenAt: Date.now() });
  const early = (await poll(run, token, { cursor })).data;
  expect([early.changes, early.isMore]).toEqual([[], true]);
  await setItem({ shard, id: propertyId }, { sequence, version: 2 });
  const late = (await poll(run, token, { cursor: early.cursor })).data;
  expect([late.changes, late.isMore]).toEqual([[expect.objectContaining({ propertyId, version: 2 })], false]);
});

test('documents that are too large for one response together come in several', async () => {
  const accountId = await makeOwner();
  const owners = [await makeProperty(accountId), await makeProperty(accountId)];
  // As long as a rule may be, of characters that an escape makes three times as long.
  const values = Array.from({ length: 8 }, () => '<'.repeat(1_000));
  const conditions = [{ field: 'path', operator: 'equals', values }];
  const settings = JSON.stringify({
    name: 'Rule',
    enabled: true,
    priority: 1,
    match: 'all',
    conditions,
    actions: [],
    stop: false,
  });
  const [createdAt, ids] = [new Date().toISOString(), Array.from({ length: 100 }, newId)];
  for (const { propertyId } of owners)
    await inParallel(ids, 10, (id) =>
      putItem(rules, { propertyId, id, settings, version: 1, createdAt, updatedAt: createdAt }),
    );
  const edge = await edgeOf(accountId);
  const pages = await edge.sync();
  expect(pages.map(({ changes }) => changes.length).filter((length) => length > 0)).toEqual([1, 1]);
  expect([...edge.documents.keys()].sort()).toEqual(owners.map(({ propertyId }) => propertyId).sort());
});

/** After page upon page: those of other tests' changes may be empty. */
async function cursorAtEnd(token: string): Promise<string> {
  let { cursor, isMore } = (await poll(run, token)).data;
  while (isMore) ({ cursor, isMore } = (await poll(run, token, { cursor })).data);
  return cursor;
}

test('a cursor that is none, of another scope, too old or ahead of the database begins anew', async () => {
  const accountId = await makeOwner();
  await makeProperty(accountId);
  const token = await makeEdge('cursors', { accounts: [accountId], properties: [] });
  const cursor = await cursorAtEnd(token);
  const day = Number.parseInt(cursor.split('.')[2] ?? '', 36);
  const beginsAnew = async (sent: string): Promise<boolean> => {
    const { isWhole, isFirst } = (await poll(run, token, { cursor: sent })).data;
    // From the end on a sync is whole only where it begins.
    expect(isFirst).toBe(isWhole);
    return isFirst;
  };
  const ofDay = (days: number) => cursor.replace(/^(1\.[^.]+\.)[^.]+/, `$1${(day - days).toString(36)}`);
  const { cursor: foreign } = (
    await poll(run, await makeEdge('foreign-cursor', { accounts: [await makeOwner()], properties: [] }))
  ).data;
  expect([await beginsAnew(cursor), await beginsAnew(ofDay(29))]).toEqual([false, false]);
  for (const bad of ['', 'nonsense', foreign, ofDay(30), ofDay(-1), cursor.replace(/-[^-]+$/, '-zzzz')])
    expect([bad, await beginsAnew(bad)]).toEqual([bad, true]);
});

test.each([
  ['keys', { keys: 'h,x' }],
  ['applied', { applied: 'nonsense' }],
  ['applied', { applied: Array.from({ length: 101 }, () => `${newId()}:1`).join() }],
  ['extra', { extra: '1' }],
])('a poll whose %s cannot be read is 400 and names it', async (name, query) => {
  const { status, envelope } = await poll(run, await makeEdge(newId()), query);
  expect([status, envelope.message]).toEqual([400, expect.stringContaining(name)]);
});

test('a token sees its scope and nothing else, a wider scope begins anew, a revoked token sees nothing', async () => {
  const [mine, others] = [await makeOwner(), await makeOwner()];
  const [own, foreign] = [await makeProperty(mine), await makeProperty(others)];
  const edge = await edgeOf(mine, 'scoped');
  await edge.sync();
  await rename(foreign);
  await removeProperty(await makeProperty(others));
  expect(await edge.sync()).toMatchObject([{ changes: [], isWhole: false }]);
  expect([...edge.documents.keys()]).toEqual([own.propertyId]);
  await replaceEdge({ ...madeEdge('scoped'), scope: { accounts: [mine], properties: [foreign.propertyId] } });
  expect((await edge.sync())[0]?.isWhole).toBe(true);
  expect([...edge.documents.keys()].sort()).toEqual([own.propertyId, foreign.propertyId].sort());
  await replaceEdge({ ...madeEdge('scoped'), scope: { accounts: [others], properties: [] } });
  await edge.sync();
  expect([...edge.documents.keys()]).toEqual([foreign.propertyId]);
  await removeEdge('scoped');
  await expect(edge.poll()).rejects.toThrow('its edge was removed');
  expect((await findEdge('scoped'))?.acceptedKeys).toBeUndefined();
});

test.each([
  ['none', [], 'Send the edge’s token'],
  ['two', ['a', 'b'], 'once'],
  ['an unknown one', ['edge_nonsense'], 'not known'],
])('a poll with %s for a token is 401', async (_, tokens, message) => {
  const headers = tokens.map((token) => ['X-Edge-Token', token] as const);
  const response = await run.api.send('/api/edge/config?keys=h', { method: 'GET', headers });
  expect([response.status, response.envelope.message]).toEqual([401, expect.stringContaining(message)]);
});

/** One is made by the API's own code, the others are put beside it. */
async function seed(accountId: string, count: number): Promise<readonly PropertyOwner[]> {
  const first = await makeProperty(accountId);
  return [first, ...(await putProperties(accountId, Array.from({ length: count - 1 }, site)))];
}

/** A server in an edge's place, which keeps the headers of what it is asked. */
class NotifiedEdge {
  readonly asked: IncomingHttpHeaders[] = [];
  private readonly server = createServer((request, response) => {
    this.asked.push(request.headers);
    response.end('{"removed":0}');
  });

  /** Registers it; it is configured once it has polled. */
  async register(id: string, scope: EdgeScope): Promise<PollingEdge> {
    const url = `http://127.0.0.1:${await listen(this.server, 0, 'an edge')}`;
    const token = newEdgeToken();
    await addEdge({ ...madeEdge(id), url, scope }, hashEdgeToken(token));
    return new PollingEdge(run, token);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function notifier(messages: readonly object[]): Promise<unknown> {
  const Records = messages.map((message) => ({ messageId: newId(), body: JSON.stringify(message) }));
  return run.functions.invoke('CdnManagement-config-notifier', { Records });
}

test('configured edges in scope are told once of many changes, and nobody else is', async () => {
  const accountId = await makeOwner();
  const scope = { accounts: [accountId], properties: [] };
  const [configured, fixed, foreign] = [new NotifiedEdge(), new NotifiedEdge(), new NotifiedEdge()];
  await (await configured.register('notified', scope)).poll();
  await fixed.register('fixed', scope);
  await (await foreign.register('elsewhere', { accounts: [await makeOwner()], properties: [] })).poll();
  await (await edgeOf(accountId, 'dead')).poll();
  const changes = Array.from({ length: 9 }, () => ({ accountId, propertyId: newId() }));
  expect(await notifier([...changes, { nonsense: 1 }])).toBeNull();
  const ofEach = () => [configured, fixed, foreign].map(({ asked }) => asked.length);
  expect(ofEach()).toEqual([1, 0, 0]);
  await notifier(changes);
  const [first, second] = configured.asked;
  for (const sent of [first, second]) {
    const [mode, keys] = [String(sent?.[headers.mode]), String(sent?.[headers.keys])];
    const command = { time: Number(sent?.[headers.time]), mode: 'poll', keys } as const;
    expect([mode, isId(keys), isFresh(command.time, new Date())]).toEqual(['poll', true, true]);
    expect(verify(madeEdge('').secret, command, String(sent?.[headers.signature]))).toBe(true);
  }
  expect(first?.[headers.signature]).not.toBe(second?.[headers.signature]);
  await Promise.all([configured, fixed, foreign].map((edge) => edge.stop()));
});

function patch(path: string, changes: object) {
  const headers = [['X-API-Key', run.apiKey]] as const;
  return run.api.send(path, { method: 'PATCH', headers, body: JSON.stringify(changes) });
}

test('a change by the API notifies edges; one that changes nothing, or is refused, does not', async () => {
  const edge = new NotifiedEdge();
  await (await edge.register('told', { accounts: [], properties: [run.propertyId] })).poll();
  const path = `/api/property/${run.propertyId}`;
  const queued: string[] = [];
  run.aws.fault = (operation, { QueueUrl, MessageBody }) => {
    if (operation === 'sqs:SendMessage' && String(QueueUrl).endsWith('config-notification'))
      queued.push(String(MessageBody));
    return undefined;
  };
  const { name } = (await run.api.get(path)).data;
  await patch(path, { name });
  await patch(path, { name: '' });
  expect([queued, edge.asked]).toEqual([[], []]);
  await patch(path, { name: newId() });
  expect(queued.map((body) => JSON.parse(body))).toEqual([
    { accountId: run.accountId, propertyId: run.propertyId },
  ]);
  await eventually(
    async () => edge.asked.length,
    (count) => count > 0,
  );
  await removeEdge('told');
  await edge.stop();
});

test.each(['refuse', 'hang'] as const)(
  'a change is written while the queue of notifications does %s',
  async (fault) => {
    const path = `/api/property/${run.propertyId}`;
    let tries = 0;
    run.aws.fault = (operation, { QueueUrl }) => {
      const isNotification =
        operation === 'sqs:SendMessage' && String(QueueUrl).endsWith('config-notification');
      if (isNotification) tries += 1;
      return isNotification ? fault : undefined;
    };
    const { version } = (await run.api.get(`${path}/deployment`)).data;
    const { status } = await patch(path, { name: newId() });
    // Who waits for the end of a call that hangs has seen all its tries.
    expect([status, tries > 0, fault === 'refuse' || tries < 3]).toEqual([200, true, true]);
    expect((await run.api.get(`${path}/deployment`)).data.version).toBe(version + 1);
  },
);

test('the API says what each configured edge runs, from what the edges report', async () => {
  const { propertyId } = run;
  const deployment = async () => (await run.api.get(`/api/property/${propertyId}/deployment`)).data;
  const version = (await deployment()).version;
  expect(await deployment()).toEqual({ version, status: 'live', edges: [] });
  const scope = { accounts: [run.accountId], properties: [] };
  const tokens = [await makeEdge('paris', scope), await makeEdge('tokyo', scope)];
  await makeEdge('not-configured', scope);
  const report = async (token: string, applied: string) => {
    const { data } = await poll(run, token, { applied });
    return data;
  };
  for (const token of tokens) await poll(run, token);
  const none = { version: 0, appliedAt: null };
  expect(await deployment()).toEqual({
    version,
    status: 'deploying',
    edges: [
      { id: 'paris', ...none },
      { id: 'tokyo', ...none },
    ],
  });
  const [paris = '', tokyo = ''] = tokens;
  await report(paris, `${propertyId}:${version}`);
  await report(tokyo, `${propertyId}:${version}:unreadable`);
  const applied = { version, appliedAt: expect.stringMatching(/Z$/) };
  const unreadable = { lastError: expect.stringContaining(`Version ${version} could not be read`) };
  expect((await deployment()).edges).toEqual([
    { id: 'paris', ...applied },
    { id: 'tokyo', ...none, ...unreadable },
  ]);
  await report(tokyo, `${propertyId}:${version}:unsaved`);
  expect(await deployment()).toMatchObject({
    status: 'live',
    edges: [{}, { lastError: expect.stringContaining('not kept') }],
  });
  await rename({ accountId: run.accountId, propertyId });
  expect(await deployment()).toMatchObject({ version: version + 1, status: 'deploying' });
  for (const token of tokens) await report(token, `${propertyId}:${version + 1}`);
  await report(paris, `${propertyId}:${version}`);
  const { edges, ...rest } = await deployment();
  expect([rest, edges.map(Object.keys)]).toEqual([
    { version: version + 1, status: 'live' },
    [
      ['id', 'version', 'appliedAt'],
      ['id', 'version', 'appliedAt'],
    ],
  ]);
  const stranger = await run.stranger.get(`/api/property/${propertyId}/deployment`);
  expect([stranger.status, stranger.envelope.message]).toEqual([404, 'Property not found.']);
});

test('what an edge reports of what is not in its scope is not kept, and of a deleted property nothing', async () => {
  const [mine, others] = [await makeOwner(), await makeOwner()];
  const [own, foreign] = [await makeProperty(mine), await makeProperty(others)];
  const token = await makeEdge('reporting', { accounts: [mine], properties: [] });
  const all = [own, foreign].map(({ propertyId }) => `${propertyId}:1`).join();
  await poll(run, token, { applied: `${all},${newId()}:1` });
  const kept = async () =>
    (await Promise.all([own, foreign].map(({ propertyId }) => deploymentsOf(propertyId)))).map(
      ({ size }) => size,
    );
  expect(await kept()).toEqual([1, 0]);
  await removeProperty(own);
  await poll(run, token, { applied: `${own.propertyId}:2` });
  expect(await kept()).toEqual([0, 0]);
});

test('an edge that lacks a change for 5 minutes is in the log for the alarm, and edge list says since when', async () => {
  const accountId = await makeOwner();
  const owner = await makeProperty(accountId);
  const [late, current] = [await edgeOf(accountId, 'late'), await edgeOf(accountId, 'punctual')];
  for (const edge of [late, current]) for (let polls = 0; polls < 2; polls += 1) await edge.sync();
  await rename(owner);
  for (let polls = 0; polls < 2; polls += 1) await current.sync();
  const at = new Date(Date.now() - 6 * 60_000).toISOString();
  const { sequences: positions } = await readCounters();
  const isCounted = matcherOf(filterPatternOf('ConfigLagging'));
  const linesOf = (id: string) =>
    loggedLines(run).filter((line) => isCounted(line) && line.includes(`"${id}"`));
  const [line = ''] = await eventually(
    async () => {
      await writeMarks([{ at, positions }]);
      await callSchedule(run);
      return linesOf('late');
    },
    ({ length }) => length > 0,
  );
  expect(JSON.parse(line)).toMatchObject({ level: 'WARN', message: { edgeId: 'late', since: at } });
  expect(linesOf('punctual')).toEqual([]);
  const rows = await listEdgeRows();
  const configurations = rows.flatMap(({ id, configuration }) =>
    ['late', 'punctual', 'fixed'].includes(id) ? [configuration] : [],
  );
  expect(configurations).toEqual([
    { from: 'edge', lagsSince: null },
    { from: 'api', lagsSince: at },
    { from: 'api', lagsSince: null },
  ]);
  expect(edgeTable(rows, undefined)).toMatch(/CONFIG(.|\n)* its own (.|\n)* lags 6m (.|\n)* current /);
  for (let polls = 0; polls < 2; polls += 1) await late.sync();
  expect((await listEdgeRows()).find(({ id }) => id === 'late')?.configuration.lagsSince).toBeNull();
});

function filterPatternOf(metric: string): string {
  const filters = Object.values(templateResources()).filter(({ Type }) => Type === 'AWS::Logs::MetricFilter');
  const filter = filters.find(({ Properties }) =>
    JSON.stringify(Properties).includes(`"MetricName":"${metric}"`),
  );
  return String(filter?.Properties?.FilterPattern);
}

test('a poll that finds nothing takes 2 read units with 1,000 edges too', async () => {
  const token = await makeEdge('one-of-many', { accounts: [await makeOwner()], properties: [] });
  const template = await findEdge('one-of-many');
  if (!template) throw new Error('The edge is not there');
  await putAll(
    'edges',
    Array.from({ length: 1_000 }, (_, index) => ({ ...template, registry: 'edges', id: `many-${index}` })),
  );
  const edge = new PollingEdge(run, token);
  holdOffOthers(run, token);
  await edge.sync();
  await edge.poll();
  expect(await edge.counted(() => edge.poll())).toEqual([1, 2, 0]);
});

test.each([10, 1_000, 10_000].slice(0, volume(1, 3)))(
  'the initial sync of %i properties, a poll and one change',
  async (count) => {
    const accountId = await makeOwner();
    const owners = await seed(accountId, count);
    const token = await makeEdge(`counted-${count}`, { accounts: [accountId], properties: [] });
    const edge = new PollingEdge(run, token);
    holdOffOthers(run, token);
    const initial = await edge.counted(() => edge.sync());
    expect(edge.documents.size).toBe(count);
    const reported = await edge.counted(() => edge.poll());
    const idle = await edge.counted(() => edge.poll());
    const [first] = owners;
    if (first) await rename(first);
    const one = await edge.counted(() => edge.poll());
    expect(edge.documents.get(first?.propertyId ?? '')?.version).toBe(2);
    console.log(
      `${count} properties, requests/read units/write units: initial sync ${initial.join('/')}, its last report ${reported.join('/')}, a poll ${idle.join('/')}, one change ${one.join('/')}`,
    );
    expect([idle[0], idle[1] <= 2, idle[2]]).toEqual([1, true, 0]);
    expect(initial[0]).toBeLessThanOrEqual(count / 50 + 2);
    expect([one[0], one[2]]).toEqual([1, 0]);
  },
);

test('what is deleted or changed between the pages of a whole sync is so at its end', async () => {
  const accountId = await makeOwner();
  await seed(accountId, 150);
  const edge = await edgeOf(accountId);
  let { isMore } = await edge.poll();
  while (edge.documents.size < 2) ({ isMore } = await edge.poll());
  expect([isMore, edge.documents.size < 150]).toEqual([true, true]);
  const [deleted = '', changed = ''] = edge.documents.keys();
  await removeProperty({ accountId, propertyId: deleted });
  await rename({ accountId, propertyId: changed });
  await edge.sync();
  expect([edge.documents.size, edge.documents.has(deleted)]).toEqual([149, false]);
  expect(edge.documents.get(changed)?.version).toBe(2);
});

// From here on so much is changed that first syncs take more pages.
test('a version rises by one with each change and with nothing else, and a shard’s numbers with each of its own', async () => {
  const steps = fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...Object.keys(works))), { maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const properties = await inParallel([0, 1, 2], 3, async () => ({
        ...(await makeProperty()),
        version: 1,
        rules: [],
      }));
      const known: readonly Known[] = properties;
      let { sequences: counters } = await readCounters();
      for (const [index, name] of all) {
        const each = known[index];
        const work = works[name];
        if (!each || !work) continue;
        const before = (await changesOf([each.propertyId])).get(each.propertyId);
        const difference = await work(each);
        each.version += difference;
        const after = (await changesOf([each.propertyId])).get(each.propertyId);
        const { sequences: now } = await readCounters();
        const shard = Number(after?.shard);
        expect([name, after?.version]).toEqual([name, each.version]);
        expect(now.map((counter, at) => counter - (counters[at] ?? 0))).toEqual(
          now.map((_, at) => (at === shard ? difference : 0)),
        );
        expect(after?.sequence).toBe(difference ? now[shard] : before?.sequence);
        counters = now;
      }
      const versions = await changesOf(known.map(({ propertyId }) => propertyId));
      for (const { propertyId, version } of known) expect(versions.get(propertyId)?.version).toBe(version);
    }),
    { numRuns: volume(5, 200) },
  );
});

/** Ids of properties that meet in one shard. */
async function idsOfOneShard(count: number): Promise<readonly string[]> {
  const first = await makeProperty();
  const shard = (await changesOf([first.propertyId])).get(first.propertyId)?.shard;
  const ids: string[] = [];
  while (ids.length < count) {
    const id = newId();
    if (shardOf(id) === shard) ids.push(id);
  }
  return ids;
}

test('30 creates at once, and 30 of one shard, are all written, each with a number of its own', async () => {
  const anywhere = Array.from({ length: 30 }, () => newId());
  for (const ids of [anywhere, await idsOfOneShard(30)]) {
    const { sequences: before } = await readCounters();
    await Promise.all(ids.map((id) => makeProperty(run.accountId, id)));
    const { sequences: after } = await readCounters();
    const changes = [...(await changesOf(ids)).values()];
    expect(changes.map(({ version }) => version)).toEqual(ids.map(() => 1));
    expect(new Set(changes.map(({ shard, sequence }) => `${shard} ${sequence}`)).size).toBe(30);
    expect(after.reduce((sum, counter, shard) => sum + counter - (before[shard] ?? 0), 0)).toBe(30);
  }
});
