import middy, { type MiddlewareObj } from '@middy/core';
import jsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod';
import { ApiError } from '../ground/api-error.ts';
import { type Caller, parseCaller } from '../ground/caller.ts';
import { withCors } from './cors.ts';
import type { Answer, ApiRequest, Endpoint, RawRequest } from './endpoint.ts';
import { type Envelope, pageSuccess, success } from './envelope.ts';
import { headerValues } from './headers.ts';
import { idempotently } from './idempotency.ts';
import { readIfMatch } from './if-match.ts';
import {
  decodeText,
  requireExactNumbers,
  requireJsonMediaType,
  requireTextIn,
  requireUniqueFields,
} from './json-text.ts';
import type { Page } from './page.ts';
import { errorResponse, response } from './response.ts';
import { validate } from './validate.ts';

type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;

const answerErrors: Middleware = {
  onError: ({ error, event }) => errorResponse(error, event.requestContext.requestId),
};

const parser = jsonBodyParser<APIGatewayProxyEvent>({ disableContentTypeCheck: true });

/** Strict decoding goes before the parser, which would turn invalid UTF-8 into U+FFFD. */
const readBody: Middleware = {
  before: async (request) => {
    const { event } = request;
    requireJsonMediaType(headerValues(event.multiValueHeaders, 'content-type'));
    const text = decodeText(event.body, event.isBase64Encoded);
    event.body = text;
    event.isBase64Encoded = false;
    try {
      await parser.before?.(request);
    } catch {
      throw new ApiError('invalid', 'The body is not valid JSON. Send a JSON object.');
    }
    requireExactNumbers(text);
    requireUniqueFields(text, event.body);
    requireTextIn(event.body);
  },
};

/** Completes the data of a response, a replayed one too; what it adds is never stored for a retry. */
type Complete<E extends Endpoint> = (
  request: Omit<ApiRequest<E>, 'work'>,
  data: z.output<E['data']>,
) => Promise<z.input<E['data']>>;

/**
 * Makes the Lambda handler of an endpoint: event in, envelope out, whatever happens between.
 * @param complete runs after the response is stored for a retry with the same Idempotency-Key
 */
export function serve<const E extends Endpoint>(
  endpoint: E,
  handle: (request: ApiRequest<E>) => Promise<Answer<E>>,
  complete?: Complete<E>,
) {
  const checkCaller: Middleware = { before: ({ event }) => void callerOf(endpoint, event) };
  const pipeline = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use([answerErrors, checkCaller, ...(endpoint.body ? [readBody] : [])])
    .handler(async (event) => {
      const request = requestOf(endpoint, event);
      const result = await idempotently(endpoint, event, request.caller?.accountId, async (work) => {
        const answer = await handle({ ...request, work } as ApiRequest<E>);
        const { requestId } = event.requestContext;
        const status = endpoint.created ? 201 : 200;
        return response(status, envelopeOf(endpoint, answer), requestId, entityTag(endpoint, answer));
      });
      return complete ? completed(endpoint, request, result, complete) : result;
    });
  return async (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> =>
    withCors(event, await pipeline(event, context));
}

function callerOf({ access }: Endpoint, event: APIGatewayProxyEvent): Caller | undefined {
  if (access === 'public') return undefined;
  const caller = parseCaller(event.requestContext.authorizer);
  if (access !== 'user' || caller.scheme === 'bearer') return caller;
  throw new ApiError(
    'forbidden',
    'This acts on a user, and an API key has none. Log in and send the access token.',
  );
}

function requestOf<E extends Endpoint>(
  endpoint: E,
  event: APIGatewayProxyEvent,
): Omit<ApiRequest<E>, 'work'> {
  return {
    caller: callerOf(endpoint, event),
    params: event.pathParameters ?? {},
    query: endpoint.query && validate(endpoint.query, queryOf(event), 'the query'),
    ifMatch: changes(endpoint) ? readIfMatch(event.multiValueHeaders) : undefined,
    raw: endpoint.rawBody && rawOf(event),
    body: endpoint.body && validate(endpoint.body, event.body, 'the body'),
  } as Omit<ApiRequest<E>, 'work'>;
}

function queryOf(event: APIGatewayProxyEvent): Record<string, string> {
  const entries = Object.entries(event.multiValueQueryStringParameters ?? {});
  const repeated = entries.find(([, values]) => (values?.length ?? 0) > 1);
  if (repeated) throw new ApiError('invalid', 'Each query parameter may be given once.');
  return Object.fromEntries(entries.map(([name, values]) => [name, values?.[0] ?? '']));
}

function changes({ method }: Endpoint): boolean {
  return method === 'PATCH' || method === 'DELETE';
}

function rawOf({ body, isBase64Encoded, multiValueHeaders }: APIGatewayProxyEvent): RawRequest {
  return {
    bytes: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
    headers: multiValueHeaders,
  };
}

function envelopeOf(endpoint: Endpoint, answer: unknown): Envelope {
  return endpoint.list ? pageSuccess(answer as Page<unknown>) : success(answer as object);
}

/** A single record carries its version as a tag too. */
function entityTag(endpoint: Endpoint, answer: unknown): Record<string, string> {
  if (endpoint.list || typeof answer !== 'object' || answer === null) return {};
  const version: unknown = Reflect.get(answer, 'version');
  return typeof version === 'number' ? { ETag: `"${version}"` } : {};
}

async function completed<E extends Endpoint>(
  endpoint: E,
  request: Omit<ApiRequest<E>, 'work'>,
  result: APIGatewayProxyResult,
  complete: Complete<E>,
): Promise<APIGatewayProxyResult> {
  const envelope = JSON.parse(result.body) as Envelope;
  const data = await complete(request, endpoint.data.parse(envelope.data) as z.output<E['data']>);
  return { ...result, body: JSON.stringify({ ...envelope, data }) };
}
