import { changesRecord, type Endpoint } from '../../../../shared/http/endpoint.ts';
import type { Tally } from '../tally.ts';
import { type Attack, plainRequest } from './attack.ts';
import { isObject } from './json-places.ts';
import { judge } from './judge.ts';
import { readBackFaults, removeMade } from './read-back.ts';
import type { Tenant } from './tenant.ts';
import type { Outcome, WireRequest } from './wire.ts';

/** Attacks on one endpoint, one after the other, as one tenant. */
export async function attackInTurn(
  tenant: Tenant,
  endpoint: Endpoint,
  attacks: readonly Attack[],
  tally: Tally,
): Promise<void> {
  for (const attack of attacks) await attackOnce(tenant, endpoint, attack, tally);
  await expectAsBefore(tenant, endpoint, tally);
}

async function attackOnce(tenant: Tenant, endpoint: Endpoint, attack: Attack, tally: Tally): Promise<void> {
  if (endpoint.access === 'user') await tenant.renewToken();
  if (attack.isBroken) tenant.close();
  const sent = tenant.filled(attack, endpoint);
  const response = await tenant.send(sent);
  if (attack.isBroken) tenant.close();
  tally.tried();
  const secrets = tenant.secrets(typeof response !== 'string' && response.status >= 400);
  const where = `${attack.method} ${attack.target.slice(0, 120)} (${attack.name}): ${typeof response === 'string' ? response : response.status}`;
  for (const [finding, says] of judge(attack, sent, response, secrets))
    tally.found(finding, `${where}, ${says}`);
  for (const fault of await afterwards(tenant, endpoint, sent, response))
    tally.found('lost', `${where}, ${fault}`);
}

/** What a response that says "done" makes necessary. */
async function afterwards(
  tenant: Tenant,
  endpoint: Endpoint,
  sent: WireRequest,
  response: Outcome,
): Promise<readonly string[]> {
  if (typeof response === 'string' || response.status > 201) return [];
  if (sent.method === 'DELETE') await tenant.makeThings();
  const isOwn = sent.method === endpoint.method && endpoint.method !== 'GET' && endpoint.body;
  const isReplay = response.headers['idempotent-replay'] !== undefined;
  if (!isOwn || isReplay || !sent.body || !isObject(response.data)) return [];
  const body: unknown = JSON.parse(new TextDecoder().decode(sent.body));
  const faults = await readBackFaults(tenant, endpoint, body, response.data);
  if (endpoint.created) await removeMade(tenant, endpoint, String(response.data.id));
  return faults;
}

/** After all that, the endpoint’s own request is done as it was before. */
async function expectAsBefore(tenant: Tenant, endpoint: Endpoint, tally: Tally): Promise<void> {
  if (endpoint.access !== 'account') return;
  const response = await tenant.send(tenant.filled(plainRequest(endpoint), endpoint));
  if (typeof response === 'string' || response.status > 201)
    tally.found(
      'lost',
      `${endpoint.method} ${endpoint.path} is no longer done: ${typeof response === 'string' ? response : response.text}`,
    );
  else if (endpoint.created) await removeMade(tenant, endpoint, String(response.data.id));
  else if (changesRecord[endpoint.method]) await tenant.makeThings();
}
