import * as z from 'zod';
import { endpoints } from '../../../../functions/endpoints.ts';
import type { Endpoint } from '../../../../shared/http/endpoint.ts';
import { exampleIds, examples } from '../../../../shared/http/examples.ts';
import type { Header } from './wire.ts';

/** A request in which `{name}` stands for what the tenant has under that name, in its bytes not. */
export interface Attack {
  /** What is odd about it. */
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body?: string | Buffer | undefined;
  /** True for one that brings its own credential, or none. */
  readonly hasOwnCredential?: true;
  /** True for what no HTTP client sends, on a connection of its own, and HTTP servers may refuse in their own words. */
  readonly isBroken?: true;
  /** True for what must not succeed. */
  readonly isRefused?: true;
}

/** The examples of a JSON body, with the tenant's own in the place of what they name; of a patch those of a whole too. */
export function exampleBodies(endpoint: Endpoint): readonly unknown[] {
  const hostname = endpoint.created && 'hostnames' in shapeOf(endpoint) ? 'newHostname' : 'hostname';
  return [...ownExamples(endpoint), ...wholeExamples(endpoint)].map((example) =>
    JSON.parse(
      Object.entries(exampleIds)
        .reduce((text, [thing, id]) => text.replaceAll(id, `{${thing}Id}`), JSON.stringify(example))
        .replaceAll('www.example.com', `{${hostname}}`)
        .replaceAll('"example.com"', `"also.{${hostname}}"`)
        .replaceAll('anna@example.com', '{username}'),
    ),
  );
}

/** The fields of an endpoint's body, where it has fields. */
export function shapeOf({ body }: Endpoint): object {
  return Object(body && Reflect.get(body, 'shape'));
}

function ownExamples({ body }: Endpoint): readonly unknown[] {
  return Object.values((body && examples.get(body)) ?? {});
}

/** Of what a patch changes: the largest that can be made, as far as a patch takes it. */
function wholeExamples(endpoint: Endpoint): readonly unknown[] {
  const path = endpoint.path.replace(/\/[^/]*$/, '');
  const creator = Object.values(endpoints).find((each) => each.created && each.path === path);
  if (endpoint.method !== 'PATCH' || !creator) return [];
  const fields = shapeOf(endpoint);
  const whole = Object.entries(Object(ownExamples(creator).at(-1)));
  return [Object.fromEntries(whole.filter(([name]) => name in fields))];
}

/** The endpoint's request as its declaration says that it should be. */
export function plainRequest(endpoint: Endpoint, body: unknown = exampleBodies(endpoint)[0]): Attack {
  const query = requiredQuery(endpoint).map((name) => `${name}={${name}}`);
  return {
    name: 'nothing odd',
    method: endpoint.method,
    target: `${endpoint.path}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers: requiredHeaders(endpoint).map((name) => [name, `{${name}}`]),
    body: endpoint.rawBody?.example ?? (body === undefined ? undefined : JSON.stringify(body)),
  };
}

/** The attack with more headers, in the place of those that it has under the same names. */
export function withHeaders(attack: Attack, headers: readonly Header[]): readonly Header[] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  return [...attack.headers.filter(([name]) => !names.has(name.toLowerCase())), ...headers];
}

/** The target with one more parameter. */
export function withQuery(target: string, parameter: string): string {
  return `${target}${target.includes('?') ? '&' : '?'}${parameter}`;
}

function requiredQuery({ query }: Endpoint): readonly string[] {
  return (query && z.toJSONSchema(query, { io: 'input' }).required) ?? [];
}

function requiredHeaders({ headers = [] }: Endpoint): readonly string[] {
  return headers.filter(({ required }) => required).map(({ name }) => name);
}
