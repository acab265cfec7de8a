import middy, { type MiddlewareObj } from '@middy/core';
import jsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod';
import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';
import { withCors } from './cors.ts';
import type { ApiRequest, Endpoint, ResponseData } from './endpoint.ts';
import { type Envelope, pageSuccess, success } from './envelope.ts';
import { headerValues } from './headers.ts';
import { idempotently } from './idempotency.ts';
import {
  decodeText,
  requireExactNumbers,
  requireJsonMediaType,
  requireShallow,
  requireTextIn,
  requireUniqueFields,
} from './json-text.ts';
import type { Page } from './page.ts';
import { callerOf, type ParsedRequest, parseRequest, type ServedEvent } from './parse-request.ts';
import { errorResponse, response } from './response.ts';

type Middleware = MiddlewareObj<ServedEvent, APIGatewayProxyResult>;

const respondToErrors: Middleware = {
  onError: ({ error, event }) => errorResponse(error, event.requestContext.requestId),
};

const parser = jsonBodyParser<ServedEvent>({ disableContentTypeCheck: true });

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
      throw new ApiError('invalid', messages.bodyMalformed);
    }
    requireShallow(text);
    requireExactNumbers(text);
    requireUniqueFields(text, event.body);
    requireTextIn(event.body);
  },
};

/** Completes the data of a response, a replayed one too; what it adds is never stored for a retry. */
type Complete<E extends Endpoint> = (
  request: ParsedRequest<E>,
  data: z.output<E['data']>,
) => Promise<z.input<E['data']>>;

/**
 * Makes the Lambda handler of an endpoint: event in, envelope out, whatever happens between.
 * @param complete runs after the response is stored for a retry with the same Idempotency-Key
 */
export function serve<const E extends Endpoint>(
  endpoint: E,
  handle: (request: ApiRequest<E>) => Promise<ResponseData<E>>,
  complete?: Complete<E>,
) {
  const findCaller: Middleware = {
    before: ({ event }) => {
      event.caller = callerOf(endpoint, event);
    },
  };
  const pipeline = middy<ServedEvent, APIGatewayProxyResult>()
    .use([respondToErrors, findCaller, ...(endpoint.body ? [readBody] : [])])
    .handler(async (event) => {
      const request = parseRequest(endpoint, event);
      const result = await idempotently(endpoint, event, event.caller?.accountId, async (operation) => {
        const data = await handle({ ...request, operation } as ApiRequest<E>);
        const { requestId } = event.requestContext;
        const status = endpoint.created ? 201 : 200;
        return response(status, envelopeOf(endpoint, data), requestId, entityTag(endpoint, data));
      });
      return complete ? completed(endpoint, request, result, complete) : result;
    });
  return async (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> =>
    withCors(event, await pipeline(event, context));
}

function envelopeOf(endpoint: Endpoint, data: unknown): Envelope {
  return endpoint.list ? pageSuccess(data as Page<unknown>) : success(data as object);
}

/** A single record carries its version as a tag too. */
function entityTag(endpoint: Endpoint, data: unknown): Record<string, string> {
  if (endpoint.list || typeof data !== 'object' || data === null) return {};
  const version: unknown = Reflect.get(data, 'version');
  return typeof version === 'number' ? { ETag: `"${version}"` } : {};
}

async function completed<E extends Endpoint>(
  endpoint: E,
  request: ParsedRequest<E>,
  result: APIGatewayProxyResult,
  complete: Complete<E>,
): Promise<APIGatewayProxyResult> {
  const envelope = JSON.parse(result.body) as Envelope;
  const data = await complete(request, endpoint.data.parse(envelope.data) as z.output<E['data']>);
  return { ...result, body: JSON.stringify({ ...envelope, data }) };
}
