import { afterAll, beforeAll, test } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import type { Endpoint } from '../../shared/http/endpoint.ts';
import { joinSharedRun } from '../support/shared-run.ts';
import type { TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';
import { type Attack, shapeOf } from './support/requests/attack.ts';
import { attackInTurn } from './support/requests/attack-in-turn.ts';
import { drawnBodies, oddPlaces } from './support/requests/hostile-bodies.ts';
import { oddHeaders } from './support/requests/hostile-headers.ts';
import { oddPaths } from './support/requests/hostile-paths.ts';
import { oddQueries } from './support/requests/hostile-queries.ts';
import { Tenant } from './support/requests/tenant.ts';
import { picked } from './support/seed.ts';
import { Tally } from './support/tally.ts';

const lanes = volume(1, 16);
const attacksInTurn = 50;

/** Of each endpoint's; what hashes a password takes ten times as long as anything else. */
const most = volume(6, 100_000);
const mostHashing = volume(2, 900);
const bodiesDrawn = volume(10, 1_700);

/** Beside other files on two cores. */
const limitMilliseconds = volume(400_000, 1_100_000);

let run: TestRun;
let tenants: Tenant[];

beforeAll(async () => {
  run = await joinSharedRun();
  tenants = await inParallel(Array.from({ length: lanes }), lanes, () => Tenant.make(run));
});
afterAll(async () => {
  for (const tenant of tenants) tenant.close();
  await run.end();
});

function attacksOn(endpoint: Endpoint): readonly Attack[] {
  const all = [
    ...oddPlaces(endpoint),
    ...drawnBodies(endpoint, bodiesDrawn),
    ...oddHeaders(endpoint),
    ...oddQueries(endpoint),
    ...oddPaths(endpoint),
  ];
  return picked(all, hashesPassword(endpoint) ? mostHashing : most);
}

function hashesPassword(endpoint: Endpoint): boolean {
  return /password/i.test(Object.keys(shapeOf(endpoint)).join());
}

test('whatever is odd about a request, it is done whole or refused in words', {
  timeout: limitMilliseconds,
}, async (context) => {
  const tally = new Tally('hostile input');
  const turns = Object.values(endpoints).flatMap((endpoint) => {
    const attacks = attacksOn(endpoint);
    return Array.from({ length: Math.ceil(attacks.length / attacksInTurn) }, (_, index) => ({
      endpoint,
      attacks: attacks.slice(index * attacksInTurn, (index + 1) * attacksInTurn),
    }));
  });
  const free = [...tenants];
  await inParallel(turns, lanes, async ({ endpoint, attacks }) => {
    const tenant = free.pop();
    if (!tenant) throw new Error('There are more lanes than tenants');
    await attackInTurn(tenant, endpoint, attacks, tally);
    free.push(tenant);
  });
  tally.end(context);
});
