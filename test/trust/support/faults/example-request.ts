import * as z from 'zod';
import { exampleLoginToken } from '../../../../shared/auth/session.ts';
import { exampleRecoveryCodes } from '../../../../shared/auth/user.ts';
import type { Endpoint } from '../../../../shared/http/endpoint.ts';
import { exampleIds, examples } from '../../../../shared/http/examples.ts';
import { isIdempotent } from '../../../../shared/http/idempotency.ts';
import type { Sent } from '../../../support/api-client.ts';
import { codeOf } from '../../../support/identity.ts';
import type { SecondFactor, World } from './world.ts';
import { madeDomain } from './world-tables.ts';

export interface ExampleRequest {
  readonly path: string;
  readonly sent: Sent;
}

/** Names of the examples of an endpoint's body; one without a name where it takes none. */
export function exampleNames({ body }: Endpoint): readonly string[] {
  const names = body ? Object.keys(examples.get(body) ?? {}) : [];
  return names.length > 0 ? names : [''];
}

/** How far a user must be with the second factor for what the endpoint's examples ask for. */
export function secondFactorFor({ path }: Endpoint): SecondFactor {
  if (/login$|password$|setup$/i.test(path)) return 'none';
  return path.endsWith('/enable') ? 'pending' : 'enabled';
}

/** What the endpoint's own example asks, of what the world has in the place of what examples speak of. */
export function exampleRequest(
  endpoint: Endpoint,
  example: string,
  world: World,
  { edgeToken, idempotencyKey }: { readonly edgeToken: string; readonly idempotencyKey: string },
): ExampleRequest {
  const { method, access, body, rawBody, headers = [] } = endpoint;
  const given = rawBody ? linesOfNow(rawBody.example) : body && JSON.stringify(examples.get(body)?.[example]);
  return {
    path: pathOf(endpoint, world),
    sent: {
      method,
      headers: [
        ...(access === 'user' ? [['Authorization', `Bearer ${world.token}`] as const] : []),
        ...(access === 'account' ? [['X-API-Key', world.apiKey] as const] : []),
        ...headers
          .filter(({ name }) => name === 'X-Edge-Token')
          .map(({ name }) => [name, edgeToken] as const),
        ...(isIdempotent(endpoint) ? [['Idempotency-Key', idempotencyKey] as const] : []),
      ],
      ...(given !== undefined && { body: inWorld(given, endpoint, world) }),
    },
  };
}

function pathOf({ path, query }: Endpoint, world: World): string {
  const named = path.replace(/\{(\w+)\}/g, (_, name: string) => idIn(world, name));
  if (!(query instanceof z.ZodObject)) return named;
  const { required = [], properties = {} } = z.toJSONSchema(query, { io: 'input' });
  const parameters = required.map((name) => [name, Object(properties[name]).example]);
  const ofAccount = 'accountId' in query.shape ? { accountId: world.accountId } : {};
  return `${named}?${new URLSearchParams({ ...Object.fromEntries(parameters), ...ofAccount })}`;
}

function idIn(world: World, name: string): string {
  const id: unknown = Reflect.get(world, name);
  if (typeof id === 'string') return id;
  throw new Error(`makeWorld in world.ts makes no ${name}, which an endpoint's path names`);
}

/** Log lines of an example are of the day on which it was written. */
function linesOfNow(lines: string): string {
  return lines.replaceAll(/"ts":"[\d.]+"/g, `"ts":"${Date.now() / 1000}"`);
}

function inWorld(text: string, { path, created }: Endpoint, world: World): string {
  const domain = created && !path.includes('{') ? madeDomain(world.domain) : world.domain;
  const [recoveryCode = ''] = world.recoveryCodes;
  const substitutes: Readonly<Record<string, string>> = {
    'anna@example.com': world.username,
    'origin.example.com': 'origin.example.org',
    'example.com': domain,
    '492039': codeOf(world.totpSecret),
    [exampleLoginToken]: world.loginToken,
    [exampleRecoveryCodes[0] ?? '']: recoveryCode,
    [exampleIds.property]: world.propertyId,
  };
  const known = new RegExp(Object.keys(substitutes).join('|').replaceAll('.', '\\.'), 'g');
  return text.replace(known, (found) => substitutes[found] ?? found);
}
