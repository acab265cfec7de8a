import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Endpoint } from './endpoint.ts';
import type { IdempotencyRecord } from './idempotency-table.ts';

/** What an Idempotency-Key was used for: `key` tells its uses apart, and each is of one body. */
export type IdempotencyUse = Pick<IdempotencyRecord, 'key' | 'bodyHash'>;

type Request = Pick<APIGatewayProxyEvent, 'pathParameters' | 'multiValueQueryStringParameters' | 'body'>;

/** All spellings of a path, and all orders of its query, are one use. */
export function idempotencyUse(
  endpoint: Pick<Endpoint, 'path' | 'unkeyedQuery'>,
  request: Request,
  accountId: string,
  key: string,
): IdempotencyUse {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => request.pathParameters?.[name] ?? '');
  const query = Object.entries(request.multiValueQueryStringParameters ?? {}).filter(
    ([name]) => !endpoint.unkeyedQuery?.includes(name),
  );
  return {
    key: `${accountId}#${hash([path, Object.fromEntries(query), key])}`,
    bodyHash: hash(request.body),
  };
}

/** The same for all values that are equal as JSON. */
function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sortFields)).digest('base64url');
}

function sortFields(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
