import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import type { Endpoint } from '../../shared/http/endpoint.ts';
import { varnishLine } from '../support/edge-log.ts';
import { eventually } from '../support/eventually.ts';
import { joinSharedRun } from '../support/shared-run.ts';
import type { TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';
import { massAssignments, namingAnother } from './support/requests/account-naming.ts';
import { type Attack, plainRequest, withQuery } from './support/requests/attack.ts';
import { judge } from './support/requests/judge.ts';
import { removeMade } from './support/requests/read-back.ts';
import { everythingOf } from './support/requests/snapshot.ts';
import { Tenant } from './support/requests/tenant.ts';
import { asSeen, isDone, shownOf, type Trespass, trespass, trespasses } from './support/requests/trespass.ts';
import { picked } from './support/seed.ts';
import { Tally } from './support/tally.ts';

const lanes = volume(1, 16);

let run: TestRun;
let victim: Tenant;
let victimsThings: Awaited<ReturnType<typeof everythingOf>>;
let intruders: Tenant[];

beforeAll(async () => {
  run = await joinSharedRun();
  victim = await Tenant.make(run, 'victim');
  await countTraffic(victim);
  await purgesDone(victim);
  victimsThings = await everythingOf(victim);
  intruders = await inParallel(Array.from({ length: lanes }), lanes, () => Tenant.make(run, 'intruder'));
  for (const intruder of intruders) {
    intruder.values.set('victimsAccountId', victim.value('accountId'));
    intruder.values.set('victimsPropertyId', victim.value('propertyId'));
  }
});
afterAll(async () => {
  for (const tenant of [victim, ...intruders]) tenant.close();
  await run.end();
});

function endpointOf(path: string, method: string): Endpoint {
  const found = Object.values(endpoints).find((each) => each.path === path && each.method === method);
  if (!found) throw new Error(`There is no ${method} ${path}`);
  return found;
}

/** Something to count in the victim’s statistics. */
async function countTraffic(tenant: Tenant): Promise<void> {
  const endpoint = endpointOf('/api/edge/logs', 'POST');
  const body = `${varnishLine({ host: tenant.value('hostname') })}\n`;
  const response = await tenant.send(tenant.filled({ ...plainRequest(endpoint), body }, endpoint));
  expect(response).toMatchObject({ status: 200, data: { accepted: 1 } });
}

async function purgesDone(tenant: Tenant): Promise<void> {
  const endpoint = endpointOf('/api/property/{propertyId}/purge/{purgeId}', 'GET');
  const read = () => tenant.send(tenant.filled(plainRequest(endpoint), endpoint));
  await eventually(read, (response) => typeof response !== 'string' && response.data.status === 'completed');
}

/** Each piece of work by an intruder of its own, and afterwards the victim has what it had. */
async function intrude<Work>(
  all: readonly Work[],
  attack: (intruder: Tenant, work: Work) => Promise<void>,
): Promise<void> {
  const free = [...intruders];
  await inParallel(all, lanes, async (work) => {
    const intruder = free.pop();
    if (!intruder) throw new Error('There are more lanes than intruders');
    await attack(intruder, work);
    free.push(intruder);
  });
  expect(await everythingOf(victim)).toEqual(victimsThings);
}

/** As the intruder, with nothing of the victim’s in the response; what it made or removed is made anew. */
async function attackAs(intruder: Tenant, endpoint: Endpoint, attack: Attack, tally: Tally) {
  if (endpoint.access === 'user') await intruder.renewToken();
  const sent = intruder.filled(attack, endpoint);
  const response = await intruder.send(sent);
  tally.tried();
  const where = `${attack.method} ${attack.target} (${attack.name})`;
  for (const [finding, says] of judge(attack, sent, response, [])) tally.found(finding, `${where}: ${says}`);
  for (const name of shownOf(victim, { sent, response }))
    tally.found('leaks', `${where} shows the other’s ${name}`);
  if (!isDone(response) || typeof response === 'string') return response;
  if (endpoint.created) await removeMade(intruder, endpoint, response.data.id);
  if (attack.method === 'DELETE') await intruder.makeThings();
  return response;
}

test('the victim has something of everything, and sees it', () => {
  for (const [path, seen] of Object.entries(victimsThings))
    expect([path, seen]).toEqual([path, expect.stringContaining('"succeeded":true')]);
  expect(victimsThings['/api/statistics']).toContain('"requests":1');
});

test('another account’s thing is one that is not there, byte by byte, by every method and both schemes', async (context) => {
  const tally = new Tally('isolation');
  await intrude<Trespass>(trespasses(volume(0, 130)), (intruder, each) =>
    trespass(intruder, victim, each, tally),
  );
  tally.end(context);
});

test('an account named anywhere beside the credential changes nothing', async (context) => {
  const tally = new Tally('isolation');
  const readers = Object.values(endpoints).filter(
    ({ method, access }) => method === 'GET' && access === 'account',
  );
  await intrude(readers, async (intruder, endpoint) => {
    const plain = asSeen(await intruder.send(intruder.filled(plainRequest(endpoint), endpoint)));
    for (const attack of namings(endpoint)) {
      const response = await attackAs(intruder, endpoint, attack, tally);
      const isRefused =
        typeof response !== 'string' &&
        [400, 404].includes(response.status) &&
        attack.target.includes('victims');
      if (!isRefused && withoutTimes(asSeen(response)) !== withoutTimes(plain))
        tally.found('wrong', `${attack.target} (${attack.name}): ${asSeen(response)}`);
    }
  });
  tally.end(context);
});

test('what is not the client’s to give is refused, and nothing becomes another account’s', async (context) => {
  const tally = new Tally('isolation');
  const writers = Object.values(endpoints).filter(({ method }) => method !== 'GET');
  const work = writers.flatMap((endpoint) =>
    [...namings(endpoint), ...picked(massAssignments(endpoint), volume(2, 200))].map((attack) => ({
      endpoint,
      attack,
    })),
  );
  await intrude(work, async (intruder, { endpoint, attack }) => {
    await attackAs(intruder, endpoint, attack, tally);
  });
  tally.end(context);
});

test('lists, their totals and statistics are of the one account', async (context) => {
  const tally = new Tally('isolation');
  const lists = Object.values(endpoints).filter(({ list }) => list);
  await intrude(lists, async (intruder, endpoint) => {
    const { target } = plainRequest(endpoint);
    const read = (query: string) =>
      attackAs(
        intruder,
        endpoint,
        { ...plainRequest(endpoint), name: query, target: withQuery(target, query) },
        tally,
      );
    const whole = await read('pageSize=100');
    if (typeof whole === 'string' || whole.data.items.length !== whole.envelope.totalRecords)
      tally.found('wrong', `${target}: ${asSeen(whole)}`);
    for (const page of Array.from({ length: volume(2, 40) }, (_, index) => index + 1))
      await read(`pageSize=1&pageNumber=${page}`);
  });
  tally.end(context);
});

/** All headers at once, and so many one by one. */
function namings(endpoint: Endpoint): readonly Attack[] {
  const all = namingAnother(endpoint);
  return [...all.slice(0, 1), ...picked(all.slice(1), volume(1, 1_000))];
}

/** Statistics are of a time that goes on. */
function withoutTimes(text: string): string {
  return text.replace(/"(from|to|time)":"[^"]*"|"content-length":"\d+"/g, '');
}
