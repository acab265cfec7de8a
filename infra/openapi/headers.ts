import type { Header, Reference } from './openapi.ts';

/** What responses carry beside the envelope. */
export const headers = {
  'X-Request-Id': {
    description: 'Names this request in the service’s logs. Quote it to support.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'The record’s version in quotes, for If-Match.',
    schema: { type: 'string', pattern: '^"\\d+"$' },
  },
  'Idempotent-Replay': {
    description: 'Present where this is the response to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
} as const satisfies Record<string, Header>;

/** Every response carries the request's id; the others where they are true. */
export function headerReferences(
  carried: Readonly<Partial<Record<keyof typeof headers, boolean>>>,
): Readonly<Record<string, Reference>> {
  return Object.fromEntries(
    Object.entries({ 'X-Request-Id': true, ...carried })
      .filter(([, isCarried]) => isCarried)
      .map(([name]) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
