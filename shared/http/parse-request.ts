import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../ground/api-error.ts';
import { type Caller, parseCaller } from '../ground/caller.ts';
import { messages } from '../ground/messages.ts';
import { type ApiRequest, changesRecord, type Endpoint, type RawRequest } from './endpoint.ts';
import { readIfMatch } from './if-match.ts';
import { validate } from './validate.ts';

/** The caller is found before the body is read, so that a stranger's body is not looked at. */
export interface ServedEvent extends APIGatewayProxyEvent {
  caller?: Caller | undefined;
}

export type ParsedRequest<E extends Endpoint> = Omit<ApiRequest<E>, 'operation'>;

/** @throws ApiError `forbidden` for an API key where a user is needed */
export function callerOf({ access }: Endpoint, event: APIGatewayProxyEvent): Caller | undefined {
  if (access === 'public') return undefined;
  const caller = parseCaller(event.requestContext.authorizer);
  if (access !== 'user' || caller.scheme === 'bearer') return caller;
  throw new ApiError('forbidden', messages.userRequired);
}

/** @throws ApiError `invalid` */
export function parseRequest<E extends Endpoint>(endpoint: E, event: ServedEvent): ParsedRequest<E> {
  return {
    caller: event.caller,
    params: event.pathParameters ?? {},
    query: endpoint.query && validate(endpoint.query, queryOf(event), 'the query'),
    ifMatch: changesRecord[endpoint.method] ? readIfMatch(event.multiValueHeaders) : undefined,
    headers: endpoint.headers && event.multiValueHeaders,
    raw: endpoint.rawBody && rawOf(event),
    body: endpoint.body && validate(endpoint.body, event.body, 'the body'),
  } as ParsedRequest<E>;
}

function queryOf(event: APIGatewayProxyEvent): Record<string, string> {
  const entries = Object.entries(event.multiValueQueryStringParameters ?? {});
  const repeated = entries.find(([, values]) => (values?.length ?? 0) > 1);
  if (repeated) throw new ApiError('invalid', messages.queryRepeated);
  return Object.fromEntries(entries.map(([name, values]) => [name, values?.[0] ?? '']));
}

function rawOf({ body, isBase64Encoded, multiValueHeaders }: APIGatewayProxyEvent): RawRequest {
  return {
    bytes: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
    headers: multiValueHeaders,
  };
}
