import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Request, RequestHandler } from 'express';
import { authenticate } from '../../../../shared/auth/authenticate.ts';
import type { ApiRequest, Endpoint } from '../../../../shared/http/endpoint.ts';
import { pageSuccess, success } from '../../../../shared/http/envelope.ts';
import { idempotently } from '../../../../shared/http/idempotency.ts';
import type { Page } from '../../../../shared/http/page.ts';
import {
  callerOf,
  type ParsedRequest,
  parseRequest,
  type ServedEvent,
} from '../../../../shared/http/parse-request.ts';
import { errorResponse, response } from '../../../../shared/http/response.ts';

type Handle = (request: ApiRequest<Endpoint>) => Promise<unknown>;
type Complete = (request: ParsedRequest<Endpoint>, data: unknown) => Promise<object>;

/**
 * Stands in for `serve` of shared/http in the twin, so that its endpoints are Express's own: the same rules, on the same
 * stores, with neither an event of the gateway nor its middleware between.
 */
export function serve(endpoint: Endpoint, handle: Handle, complete?: Complete): RequestHandler {
  return async (request, reply) => {
    const requestId = randomUUID();
    const result = await respond(request, requestId).catch((error: unknown) =>
      errorResponse(error, requestId),
    );
    reply.status(result.statusCode).set(result.headers).send(result.body);
  };

  async function respond(request: Request, requestId: string): Promise<APIGatewayProxyResult> {
    const event = await authenticated(eventOf(request, requestId));
    const parsed = parseRequest(endpoint, event);
    const result = await idempotently(endpoint, event, event.caller?.accountId, async (operation) => {
      const data = await handle({ ...parsed, operation } as ApiRequest<Endpoint>);
      const envelope = endpoint.list ? pageSuccess(data as Page<unknown>) : success(data as object);
      return response(endpoint.created ? 201 : 200, envelope, requestId);
    });
    if (!complete) return result;
    const { data } = JSON.parse(result.body) as { readonly data: unknown };
    return { ...result, body: JSON.stringify(success(await complete(parsed, data))) };
  }

  async function authenticated(event: ServedEvent): Promise<ServedEvent> {
    if (endpoint.access === 'public') return event;
    event.requestContext.authorizer = await authenticate(event.multiValueHeaders);
    event.caller = callerOf(endpoint, event);
    return event;
  }
}

/** What the code that is shared looks at. */
function eventOf({ headersDistinct, query, params, body }: Request, requestId: string): ServedEvent {
  const isRaw = Buffer.isBuffer(body);
  return {
    multiValueHeaders: headersDistinct,
    multiValueQueryStringParameters: Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, [value].flat()]),
    ),
    pathParameters: params,
    body: isRaw ? body.toString('base64') : body,
    isBase64Encoded: isRaw,
    requestContext: { requestId },
  } as unknown as ServedEvent;
}
