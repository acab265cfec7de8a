import { endpoints } from '../../../../functions/endpoints.ts';
import type { Endpoint } from '../../../../shared/http/endpoint.ts';
import { missingId } from '../../../support/rules.ts';
import { picked } from '../seed.ts';
import type { Tally } from '../tally.ts';
import { type Attack, exampleBodies, plainRequest } from './attack.ts';
import { oddPlaces } from './hostile-bodies.ts';
import { oddHeaders } from './hostile-headers.ts';
import { oddPaths } from './hostile-paths.ts';
import { oddQueries } from './hostile-queries.ts';
import type { Scheme, Tenant } from './tenant.ts';
import type { Outcome, WireRequest } from './wire.ts';

/** Another account’s things in the place of a tenant’s own, in requests of one endpoint. */
export interface Trespass {
  readonly endpoint: Endpoint;
  readonly scheme: Scheme;
  /** The placeholders that name the other’s. */
  readonly names: readonly string[];
  readonly attacks: readonly Attack[];
}

/**
 * Every endpoint whose request names something, by both schemes, with every choice of what is the other’s.
 * @param count how many requests of each
 */
export function trespasses(count: number): readonly Trespass[] {
  return Object.values(endpoints).flatMap((endpoint) => {
    if (endpoint.access !== 'account') return [];
    const bodies = exampleBodies(endpoint);
    const plain = (bodies.length > 0 ? bodies : [undefined]).map((body) => plainRequest(endpoint, body));
    const odd = [
      ...oddPaths(endpoint),
      ...oddHeaders(endpoint),
      ...oddQueries(endpoint),
      ...oddPlaces(endpoint),
    ].filter(({ hasOwnCredential }) => !hasOwnCredential);
    return choices(namesIn(plain)).flatMap((names) => {
      const isNaming = (attack: Attack) => namesIn([attack]).some((name) => names.includes(name));
      const attacks = [...plain.filter(isNaming), ...picked(odd.filter(isNaming), count)];
      return (['apiKey', 'bearer'] as const).map((scheme) => ({ endpoint, scheme, names, attacks }));
    });
  });
}

/** Sends each request twice, once with what is the other’s, once with what is nobody’s: the responses are the same bytes. */
export async function trespass(
  intruder: Tenant,
  victim: Tenant,
  { endpoint, scheme, names, attacks }: Trespass,
  tally: Tally,
): Promise<void> {
  for (const attack of attacks) {
    const send = async (idOf: (name: string) => string) => {
      const sent = intruder.filled(attack, endpoint, {
        scheme,
        values: new Map(names.map((name) => [name, idOf(name)])),
      });
      const response = await intruder.send(sent);
      if (attack.isBroken) intruder.close();
      return { sent, response };
    };
    const foreign = await send((name) => victim.value(name));
    const missing = await send(() => missingId);
    tally.tried(2);
    const where = `${attack.method} ${attack.target.slice(0, 100)} (${attack.name}) with another’s ${names} by ${scheme}`;
    if (asSeen(foreign.response) !== asSeen(missing.response))
      tally.found(
        'leaks',
        `${where}: ${asSeen(foreign.response).slice(0, 300)} but ${asSeen(missing.response).slice(0, 300)}`,
      );
    if (attack.method !== 'OPTIONS' && isDone(foreign.response) && isSent(foreign.sent, names, victim))
      tally.found('wrong', `${where}: it was done`);
    for (const name of shownOf(victim, foreign))
      tally.found('leaks', `${where}: it shows the other’s ${name}`);
  }
}

/** What of another tenant stands in a response and not in its request. */
export function shownOf(
  victim: Tenant,
  { sent, response }: { readonly sent: WireRequest; readonly response: Outcome },
): readonly string[] {
  const received = typeof response === 'string' ? '' : JSON.stringify(response.headers) + response.text;
  const asked = `${sent.target} ${JSON.stringify(sent.headers)} ${sent.body ?? ''}`;
  return [...victim.values]
    .filter(([name, value]) => !shared.includes(name) && received.includes(value) && !asked.includes(value))
    .map(([name]) => name);
}

/** The response without what is of its own in every one. */
export function asSeen(response: Outcome): string {
  if (typeof response === 'string') return response;
  const { 'x-request-id': _, 'x-amzn-requestid': __, date: ___, ...headers } = response.headers;
  const text = response.text.replace(/"lastUsedAt":"[^"]*"/g, '');
  return `${response.status} ${JSON.stringify(headers)} ${text}`;
}

export function isDone(response: Outcome): boolean {
  return typeof response !== 'string' && response.status < 300;
}

/** The same for all tenants of a run. */
const shared = ['password', 'X-Edge-Token'];

/** Values that are ids: of host names it is said in public whether somebody has them. */
function namesIn(attacks: readonly Attack[]): readonly string[] {
  const texts = attacks.map(({ target, body }) => `${target} ${typeof body === 'string' ? body : ''}`);
  return [...new Set(texts.join(' ').match(/(?<=\{)\w+Id(?=\})/g))];
}

/** Every choice of at least one. */
function choices([first, ...others]: readonly string[]): readonly (readonly string[])[] {
  if (first === undefined) return [];
  const without = choices(others);
  return [[first], ...without, ...without.map((some) => [first, ...some])];
}

function isSent({ target, body }: WireRequest, names: readonly string[], victim: Tenant): boolean {
  return names.some((name) => `${target} ${body ?? ''}`.includes(victim.value(name)));
}
