import type { Caller } from '../../shared/ground/caller.ts';

/** What a client sends, and where the gateway takes it. */
export interface SentRequest {
  readonly method: string;
  /** Of the gateway's resource: `/api/property/{propertyId}`. */
  readonly resource: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** As the authorizer found it. */
  readonly caller?: Caller | undefined;
}

export const awsAccountId = '000000000000';
export const region = 'us-east-1';
export const eventId = '11111111-2222-3333-4444-555555555555';

/** What a function behind a proxy integration is given; as in the stack, every body is base64. */
export function proxyEvent(sent: SentRequest): object {
  return {
    ...commonFields(sent),
    body: sent.body === undefined ? null : Buffer.from(sent.body).toString('base64'),
    isBase64Encoded: sent.body !== undefined,
  };
}

/** What the authorizer is given. */
export function authorizerEvent(sent: SentRequest): object {
  const methodArn = `arn:aws:execute-api:${region}:${awsAccountId}:local/api/${sent.method}${pathOf(sent)}`;
  return { type: 'REQUEST', methodArn, ...commonFields(sent) };
}

function commonFields(sent: SentRequest) {
  const { method, resource, pathParameters, query = {}, headers = {}, caller } = sent;
  return {
    resource,
    path: pathOf(sent),
    httpMethod: method,
    headers,
    multiValueHeaders: multiValued(headers),
    queryStringParameters: unlessEmpty(query),
    multiValueQueryStringParameters: unlessEmpty(multiValued(query)),
    pathParameters: unlessEmpty(pathParameters),
    stageVariables: null,
    requestContext: {
      accountId: awsAccountId,
      apiId: 'local',
      httpMethod: method,
      identity: { sourceIp: '127.0.0.1' },
      path: pathOf(sent),
      protocol: 'HTTP/1.1',
      requestId: eventId,
      requestTimeEpoch: 1_700_000_000_000,
      resourceId: 'abc123',
      resourcePath: resource,
      stage: 'api',
      ...(caller && { authorizer: caller }),
    },
  };
}

function pathOf({ resource, pathParameters }: SentRequest): string {
  return resource.replace(/\{(\w+)\+?\}/g, (_, name: string) => pathParameters[name] ?? '');
}

function multiValued(values: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));
}

/** The gateway says null where there is nothing. */
function unlessEmpty<Values extends object>(values: Values): Values | null {
  return Object.keys(values).length > 0 ? values : null;
}
