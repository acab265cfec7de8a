import * as z from 'zod';
import type { Caller } from '../../shared/ground/caller.ts';
import type { Access, Endpoint } from '../../shared/http/endpoint.ts';
import { exampleIds, examples } from '../../shared/http/examples.ts';
import { functionSources, type ServiceFunctionSource } from '../definition/functions.ts';
import { authorizerEvent, proxyEvent, type SentRequest } from './gateway-event.ts';
import { messageEvent, scheduledEvent } from './worker-event.ts';

const apiKey = 'svc_EXAMPLEEXAMPLEEXAMPLEEXAMPLE';

/** Who calls, and how the gateway and the client say it. */
const callers: Readonly<
  Record<Access, { readonly headers: Record<string, string>; readonly caller?: Caller }>
> = {
  account: {
    headers: { 'X-API-Key': apiKey },
    caller: {
      scheme: 'apiKey',
      accountId: exampleIds.account,
      apiKeyId: exampleIds.apiKey,
      apiKeyPrefix: apiKey.slice(0, 8),
    },
  },
  user: {
    headers: { Authorization: 'Bearer ACCESS_TOKEN' },
    caller: {
      scheme: 'bearer',
      accountId: exampleIds.account,
      username: 'nobody@example.com',
      twoFactorEnabled: 'false',
    },
  },
  public: { headers: {} },
};

const parameterExamples: ReadonlyMap<string, string> = new Map([
  ...Object.entries(exampleIds).map(([record, id]) => [`${record}Id`, id] as const),
  ['asset', 'swagger-ui.css'],
]);

/** An event for each function, by its name, made from its declaration and the examples beside that. */
export function functionEvents(): ReadonlyMap<string, object> {
  return new Map(functionSources.map((source) => [source.name, eventOf(source)]));
}

function eventOf({ name, declaration, endpoint }: ServiceFunctionSource): object {
  if (endpoint) return proxyEvent(endpointRequest(endpoint));
  if (declaration.serves) return proxyEvent(requestTo('GET', declaration.serves));
  if (declaration.consumes) return messageEvent(declaration.consumes);
  if (declaration.everyMinute) return scheduledEvent(name);
  const { headers } = callers.account;
  if (declaration.invokesEndpoints) {
    const pathParameters = { proxy: 'API/Account' };
    return proxyEvent({ method: 'GET', resource: '/{proxy+}', pathParameters, headers });
  }
  if (name === 'authorizer') return authorizerEvent({ ...requestTo('GET', '/api/account'), headers });
  throw new Error(`Nothing in the declaration of ${name} says what event it is given`);
}

function requestTo(method: string, resource: string): SentRequest {
  const names = [...resource.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return { method, resource, pathParameters: parametersNamed(names) };
}

function parametersNamed(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, parameterExample(name)]));
}

function parameterExample(name: string): string {
  const example = parameterExamples.get(name);
  if (example === undefined)
    throw new Error(
      `Give the parameter ${name} an example: in shared/http/examples.ts, or by .meta({ example })`,
    );
  return example;
}

function endpointRequest(endpoint: Endpoint): SentRequest {
  const { headers, caller } = callers[endpoint.access];
  const sent = { ...requestTo(endpoint.method, endpoint.path), caller };
  const query = exampleQuery(endpoint);
  const { body, rawBody } = endpoint;
  if (rawBody) {
    const all = { ...headers, 'Content-Type': rawBody.mediaType, ...exampleHeaders(endpoint) };
    return { ...sent, query, headers: all, body: rawBody.example };
  }
  if (!body) return { ...sent, query, headers: { ...headers, ...exampleHeaders(endpoint) } };
  const json = { ...headers, 'Content-Type': 'application/json' };
  return { ...sent, query, headers: json, body: JSON.stringify(exampleBody(endpoint, body)) };
}

/** Those that the endpoint must have beside the credential. */
function exampleHeaders({ headers = [] }: Endpoint): Record<string, string> {
  return Object.fromEntries(headers.filter(({ required }) => required).map(({ name }) => [name, 'EXAMPLE']));
}

/** No more than the query must have. */
function exampleQuery({ query }: Endpoint): Record<string, string> {
  if (!query) return {};
  const { required = [], properties = {} } = z.toJSONSchema(query, { io: 'input' });
  const exampleOf = (name: string): string => {
    const schema = properties[name];
    return typeof schema === 'object' && schema.example ? String(schema.example) : parameterExample(name);
  };
  return Object.fromEntries(required.map((name) => [name, exampleOf(name)]));
}

function exampleBody({ method, path }: Endpoint, body: z.ZodType): unknown {
  const [example] = Object.values(examples.get(body) ?? {});
  if (example === undefined) throw new Error(`Register an example of the body of ${method} ${path}`);
  return example;
}
