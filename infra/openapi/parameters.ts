import type { Endpoint } from '../../shared/http/endpoint.ts';
import { exampleIds } from '../../shared/http/examples.ts';
import { isIdempotent } from '../../shared/http/idempotency.ts';
import { idempotencyKeyPattern } from '../../shared/http/idempotency-key.ts';
import { ifMatchPattern } from '../../shared/http/if-match.ts';
import type { DescribedEndpoint } from './described-endpoint.ts';
import type { Parameter, Schema } from './openapi.ts';

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a retry safe: for 24 hours the same key on the same path and query with an equal body gives the first response again and does nothing twice. Bodies are equal as JSON, whatever the order of their fields. 1 to 255 printable characters of your own, such as a new UUID for each piece of work.',
  schema: { type: 'string', pattern: idempotencyKeyPattern.source },
};

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The version that you last read, as its ETag has it: "3" or 3. Where the record has moved on since, nothing is changed and the response is 409.',
  schema: { type: 'string', pattern: ifMatchPattern.source },
};

/** What a path parameter names, as prose has it: `apiKeyId` is an API key. */
export function thingOf(parameter: string): string {
  return parameter
    .replace(/Id$/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^api\b/, 'API');
}

export function pathParameterNames(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Everything that a request takes beside its body. */
export function parametersOf({ endpoint, query, takesVersion }: DescribedEndpoint): readonly Parameter[] {
  return [
    ...pathParameterNames(endpoint.path).map((name) => pathParameter(name, endpoint.path)),
    ...(query ? queryParameters(query) : []),
    ...(isIdempotent(endpoint) ? [idempotencyKey] : []),
    ...(takesVersion ? [ifMatch] : []),
    ...ownHeaders(endpoint),
  ];
}

function pathParameter(name: string, path: string): Parameter {
  const record = name.replace(/Id$/, '');
  const list = path.slice(0, path.indexOf(`/{${name}}`));
  return {
    name,
    in: 'path',
    required: true,
    description: `Id of the ${thingOf(name)}, as GET ${list} lists it. Case counts.`,
    schema: { type: 'string' },
    example: new Map<string, string>(Object.entries(exampleIds)).get(record),
  };
}

function queryParameters({ properties = {}, required = [] }: Schema): readonly Parameter[] {
  return Object.entries(properties as Record<string, Schema>).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    // As it is read a parameter with a default is always there; as it is sent it need not be.
    required: (required as readonly string[]).includes(name) && !('default' in schema),
    description: String(description ?? ''),
    schema,
  }));
}

function ownHeaders({ headers = [] }: Endpoint): readonly Parameter[] {
  return headers.map((header) => ({ ...header, in: 'header', schema: { type: 'string' } }));
}
