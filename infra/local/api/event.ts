import type { IncomingMessage } from 'node:http';
import { awsAccountId, region } from '../template/template.ts';
import type { MatchedMethod } from './routes.ts';

export interface GatewayRequest {
  readonly requestId: string;
  readonly httpMethod: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query: string;
  readonly multiValueHeaders: Readonly<Record<string, readonly string[]>>;
  readonly sourceIp: string;
  readonly body: Buffer;
}

export function gatewayRequest(request: IncomingMessage, body: Buffer, requestId: string): GatewayRequest {
  return {
    requestId,
    httpMethod: request.method ?? 'GET',
    ...targetOf(request.url ?? '/'),
    multiValueHeaders: multiValueHeaders(request.rawHeaders),
    sourceIp: request.socket.remoteAddress ?? '',
    body,
  };
}

/** What a REQUEST authorizer is given. */
export function authorizerEvent(request: GatewayRequest, matched: MatchedMethod) {
  return {
    type: 'REQUEST',
    methodArn: `arn:aws:execute-api:${region}:${awsAccountId}:local/api/${request.httpMethod}${request.path}`,
    ...common(request, matched),
    requestContext: requestContext(request, matched),
  };
}

/** What a function behind a proxy integration is given; with `*\/*` as binary type every body is base64. */
export function proxyEvent(
  request: GatewayRequest,
  matched: MatchedMethod,
  authorizer: Readonly<Record<string, string>> | undefined,
) {
  return {
    ...common(request, matched),
    requestContext: { ...requestContext(request, matched), ...(authorizer && { authorizer }) },
    body: request.body.length > 0 ? request.body.toString('base64') : null,
    isBase64Encoded: request.body.length > 0,
  };
}

function multiValueHeaders(rawHeaders: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = Object.create(null);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const values = headers[name] ?? [];
    values.push(rawHeaders[index + 1] ?? '');
    headers[name] = values;
  }
  return headers;
}

/** Reads the path from origin-form and absolute-form targets alike. */
function targetOf(url: string): { readonly path: string; readonly query: string } {
  const target = url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  return { path: path.startsWith('/') ? path : `/${path}`, query: mark < 0 ? '' : target.slice(mark + 1) };
}

function common(request: GatewayRequest, matched: MatchedMethod) {
  const query = multiValueQuery(request.query);
  return {
    resource: matched.method.resourcePath,
    path: request.path,
    httpMethod: request.httpMethod,
    headers: lastValues(request.multiValueHeaders),
    multiValueHeaders: request.multiValueHeaders,
    queryStringParameters: query && lastValues(query),
    multiValueQueryStringParameters: query,
    pathParameters: matched.pathParameters,
    stageVariables: null,
  };
}

function multiValueQuery(query: string): Record<string, string[]> | null {
  const parameters: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query))
    parameters[name] = [...(parameters[name] ?? []), value];
  return Object.keys(parameters).length > 0 ? parameters : null;
}

function lastValues(multiValues: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(multiValues).map(([name, values]) => [name, values.at(-1) ?? '']));
}

function requestContext(request: GatewayRequest, { method }: MatchedMethod) {
  return {
    accountId: awsAccountId,
    apiId: 'local',
    httpMethod: request.httpMethod,
    identity: {
      sourceIp: request.sourceIp,
      userAgent: lastValues(request.multiValueHeaders)['User-Agent'] ?? null,
    },
    path: request.path,
    protocol: 'HTTP/1.1',
    requestId: request.requestId,
    requestTimeEpoch: Date.now(),
    resourcePath: method.resourcePath,
    stage: 'api',
  };
}
