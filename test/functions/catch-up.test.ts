import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { bumpHint, deleteHint, getHint } from '../../shared/catch-up/hint-table.ts';
import { urlKey } from '../../shared/edge/cache-keys.ts';
import { addEdge, removeEdge, replaceEdge } from '../../shared/edge/edge-table.ts';
import {
  claimAttempt,
  closeBreaker,
  endLagging,
  forgetEdge,
  openBreaker,
} from '../../shared/edge/lagging-table.ts';
import { newId } from '../../shared/ground/id.ts';
import { pendingOn } from '../../shared/purge/progress.ts';
import { changeProgress, putFirstProgress } from '../../shared/purge/purge-progress-table.ts';
import { recordPurge } from '../../shared/purge/purge-table.ts';
import { getStartedPurge } from '../../shared/purge/started-purge-table.ts';
import { acceptedPurge } from '../support/accepted-purge.ts';
import {
  callSchedule,
  catchUpNow,
  isCurrent,
  loseCatchUpMessages,
  untilCurrent,
} from '../support/catch-up.ts';
import { eventually } from '../support/eventually.ts';
import { FakeEdge } from '../support/fake-edge.ts';
import { edgeOf, PurgeClient } from '../support/purge-client.ts';
import { edgeItems, edgeStates, edgesInService, keyOfEdge } from '../support/registry.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';

let run: TestRun;
let purges: PurgeClient;
let edge: FakeEdge;

beforeAll(async () => {
  run = await startTestRun();
  purges = new PurgeClient(run.api, run.propertyId);
});
afterAll(() => run.end());
beforeEach(async () => {
  edge = new FakeEdge();
  await edge.start();
});
afterEach(async () => {
  run.aws.fault = () => undefined;
  for (const { id } of await edgeItems()) if (id !== 'embedded') await removeEdge(id);
  await edge.stop();
});

function add(id: string, url = edge.url, secret = 's'.repeat(32)) {
  return addEdge({ id, driver: 'varnish', tier: 'edge', secret, url }, 'hash');
}

function purgeOf(target: string): Promise<string> {
  return purges.send({ type: 'url', urls: [target] });
}

async function laggingOf(id: string) {
  return (await edgeStates()).get(id)?.lagging;
}

test('an edge that comes back is caught up by the schedule alone, when no purge comes and no message is left', async () => {
  await add('back');
  await edge.stop();
  loseCatchUpMessages(run);
  const missed = [await purgeOf('/1'), await purgeOf('/2')];
  for (const id of missed) await purges.untilEdgeIs(id, 'back', 'retrying');
  await edge.start();
  expect(await laggingOf('back')).toMatchObject({ kind: 'unreachable', attempts: 0 });
  run.aws.fault = () => undefined;
  await catchUpNow(run, 'back');
  for (const id of missed) await purges.untilIs(id, 'completed');
  expect(edge.asked).toHaveLength(1);
  await untilCurrent('back');
});

test('an edge with a wrong secret is failed at once, and completed once it was given the right one', async () => {
  const right = (await edgesInService()).immediate.find(({ id }) => id === 'embedded')?.secret ?? '';
  await add('secretive', run.edgeUrl, 'not the secret');
  const first = await purgeOf('/1');
  const failed = await purges.untilIs(first, 'failed');
  expect(edgeOf(failed, 'secretive')).toMatchObject({
    status: 'failed',
    attempts: 1,
    lastError: expect.stringContaining('401'),
  });
  const second = await purgeOf('/2');
  await purges.untilIs(second, 'failed');
  const fixed = {
    id: 'secretive',
    driver: 'varnish',
    tier: 'edge',
    url: run.edgeUrl,
    secret: right,
  } as const;
  await replaceEdge(fixed, 'hash');
  await catchUpNow(run, 'secretive');
  for (const id of [first, second]) {
    const done = await purges.untilIs(id, 'completed');
    const { lastError, ...shown } = edgeOf(done, 'secretive') ?? {};
    expect([shown, lastError]).toEqual([
      expect.objectContaining({ status: 'completed', removed: 0 }),
      undefined,
    ]);
  }
  await untilCurrent('secretive');
});

test('an edge that is removed while it lags lets its purges complete, and vanishes', async () => {
  await add('gone');
  await edge.stop();
  const missed = [await purgeOf('/1'), await purgeOf('/2')];
  for (const id of missed) await purges.untilEdgeIs(id, 'gone', 'retrying');
  await removeEdge('gone');
  await catchUpNow(run, 'gone');
  for (const id of missed) {
    const done = await purges.untilIs(id, 'completed');
    expect(done.edges.map((each) => each.id)).toEqual(['embedded']);
  }
  await eventually(
    async () => [...(await edgeStates()).keys()],
    (ids) => !ids.includes('gone'),
  );
});

test('an edge that is gone from the registry when its purge fails holds the purge up no more', async () => {
  await add('vanishing');
  edge.statusOf = async () => {
    await removeEdge('vanishing').catch(() => undefined);
    await forgetEdge(keyOfEdge('vanishing'));
    return 503;
  };
  const done = await purges.untilIs(await purgeOf('/1'), 'completed');
  expect(done.edges.map((each) => each.id)).toEqual(['embedded']);
});

test('an edge that is removed while it is current vanishes too, by the schedule', async () => {
  await add('current');
  const id = await purgeOf('/1');
  await purges.untilIs(id, 'completed');
  await removeEdge('current');
  await callSchedule(run);
  await eventually(
    async () => [...(await edgeStates()).keys()],
    (ids) => !ids.includes('current'),
  );
  const { status, edges } = await purges.get(id);
  expect([status, edges.map((each) => each.id).sort()]).toEqual(['completed', ['current', 'embedded']]);
});

test('a purge that is refused is failed, and keeps neither the edge from becoming current nor other purges', async () => {
  await add('picky');
  edge.statusOf = () => 503;
  const bad = await purgeOf('/bad');
  await purges.untilEdgeIs(bad, 'picky', 'retrying');
  const [badKey = ''] = edge.asked;
  const others = [await purgeOf('/1'), await purges.send(), await purgeOf('/2')];
  for (const id of others) await purges.untilEdgeIs(id, 'picky', 'retrying');
  edge.statusOf = () => 400;
  await catchUpNow(run, 'picky');
  await eventually(
    () => laggingOf('picky'),
    (lagging) => lagging?.kind === 'denied' && lagging.reason.includes('400') && !lagging.claimedBy,
  );
  edge.statusOf = (keys) => (keys.includes(badKey) ? 400 : 200);
  await catchUpNow(run, 'picky');
  for (const id of others) await purges.untilIs(id, 'completed');
  const refused = await purges.untilIs(bad, 'failed');
  expect(edgeOf(refused, 'picky')?.lastError).toContain('400');
  await untilCurrent('picky');
  const [again, after] = [await purgeOf('/bad'), await purgeOf('/3')];
  await purges.untilIs(again, 'failed');
  await purges.untilIs(after, 'completed');
  expect(await laggingOf('picky')).toBeUndefined();
});

test('an edge that lags costs the next purges no request', async () => {
  await add('spared');
  edge.statusOf = () => 503;
  const first = await purgeOf('/first');
  await purges.untilEdgeIs(first, 'spared', 'retrying');
  const asked = edge.asked.length;
  const others: string[] = [];
  for (let index = 0; index < 20; index += 1) others.push(await purgeOf(`/${index}`));
  for (const id of others) {
    const spared = await purges.untilEdgeIs(id, 'spared', 'retrying');
    expect(edgeOf(spared, 'spared')).toMatchObject({ attempts: 0, lastError: 'the edge responded with 503' });
    expect(edgeOf(spared, 'embedded')).toMatchObject({ status: 'completed' });
  }
  expect(edge.asked).toHaveLength(asked);
  edge.statusOf = () => 200;
  await catchUpNow(run, 'spared');
  await purges.untilAllAre([first, ...others], 'completed');
  expect(edge.asked).toHaveLength(asked + 1);
});

test('an edge that returns while its property is purged 20 times a second is current soon, and has missed nothing', async () => {
  await add('returning');
  edge.statusOf = () => 503;
  const ids = [await purgeOf('/first')];
  await purges.untilEdgeIs(ids[0] ?? '', 'returning', 'retrying');
  const isOver = Date.now() + volume(4, 40) * 1_000;
  edge.statusOf = () => 200;
  await catchUpNow(run, 'returning');
  let currentAfter: number | undefined;
  while (Date.now() < isOver) {
    ids.push(await purgeOf(`/${ids.length}`));
    currentAfter ??= (await isCurrent('returning')) ? ids.length : undefined;
    await sleep(50);
  }
  expect(currentAfter).toBeLessThan(ids.length);
  await purges.untilAllAre(ids, 'completed');
  const keys = ids.map((_, index) => urlKey(run.hostname, index === 0 ? '/first' : `/${index}`));
  const asked = new Set(edge.asked.flatMap((batch) => batch.split(' ')));
  expect(keys.filter((key) => !asked.has(key))).toEqual([]);
  await untilCurrent('returning');
});

test('first progress is written once, and of progress that two write neither is lost', async () => {
  const purge = acceptedPurge(run, ['/']);
  await recordPurge(purge);
  const edges = [{ id: 'a', tier: 'edge' } as const, { id: 'b', tier: 'edge' } as const];
  expect(await putFirstProgress(purge, pendingOn(edges), new Date())).toBe(true);
  expect(await putFirstProgress(purge, {}, new Date())).toBe(false);
  const before = await getStartedPurge(purge);
  for (const { id, tier } of edges)
    await changeProgress(purge, before ?? { progress: {}, revision: 0 }, (progress) => ({
      ...progress,
      [id]: { tier, status: 'completed', attempts: 1 },
    }));
  expect((await getStartedPurge(purge))?.progress).toMatchObject({
    a: { status: 'completed' },
    b: { status: 'completed' },
  });
});

test('the message of a purge is left in the queue where what an edge missed cannot be kept', async () => {
  await add('away');
  await edge.stop();
  const purge = acceptedPurge(run, ['/']);
  await recordPurge(purge);
  run.aws.fault = (_, { TableName }) => (String(TableName).endsWith('-hints') ? 'refuse' : undefined);
  const record = {
    messageId: 'kept',
    receiptHandle: 'none',
    body: JSON.stringify({ purge }),
    attributes: { ApproximateReceiveCount: '1' },
  };
  const response = await run.functions.invoke('CdnManagement-purge-consumer', { Records: [record] });
  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: 'kept' }] });
});

test('a hint that was bumped since it was read is not deleted', async () => {
  const missed = { edgeId: 'bumped', accountId: run.accountId, propertyId: run.propertyId, since: newId() };
  expect(await bumpHint(missed)).toBe(true);
  const read = await getHint(missed);
  expect(await bumpHint(missed)).toBe(false);
  const bumped = await getHint(missed);
  const deleted = [read && (await deleteHint(read)), bumped && (await deleteHint(bumped))];
  expect(deleted).toEqual([false, true]);
});

test('an edge is caught up by one at a time, and one whose breaker was opened meanwhile still lags', async () => {
  await add('claimed');
  const now = new Date();
  await openBreaker(keyOfEdge('claimed'), { kind: 'unreachable', reason: 'it is away' }, now);
  const due = new Date(now.getTime() + 60_000);
  const claims = [];
  for (const messageId of ['one', 'other', 'one'])
    claims.push(await claimAttempt(keyOfEdge('claimed'), messageId, due));
  expect(claims).toEqual([true, false, true]);
  expect([await endLagging(keyOfEdge('claimed')), (await laggingOf('claimed'))?.claimedBy]).toEqual([
    false,
    'one',
  ]);
  await closeBreaker(keyOfEdge('claimed'));
  expect([await endLagging(keyOfEdge('claimed')), await laggingOf('claimed')]).toEqual([true, undefined]);
});
