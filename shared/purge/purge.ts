import * as z from 'zod';
import { Values } from './values.ts';

const types = ['all', 'url'] as const;
export const PurgeType = z.enum(types, `must be one of ${types.join(', ')}`);
export type PurgeType = z.output<typeof PurgeType>;

const soft = z
  .boolean('must be true or false')
  .default(false)
  .describe('True marks the content stale instead of removing it.');

/** Body of a purge. Source: decisions on purge types; fields of one type are unknown to the others. */
export const PurgeRequest = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('all').describe('Everything of the property.'), soft }),
    z.strictObject({
      type: z.literal('url').describe('Each URL, with every variant of it.'),
      urls: Values.describe('URLs of the property, or paths meaning all of its host names.'),
      soft,
    }),
  ],
  {
    error: ({ code }) =>
      code === 'invalid_union' ? `must be one of ${types.join(', ')}` : 'must be a JSON object',
  },
);
export type PurgeRequest = z.output<typeof PurgeRequest>;

export const RequestedBy = z.object({
  scheme: z.literal('apiKey'),
  id: z.string().describe('Id of the API key.'),
  prefix: z.string().describe('First 8 characters of the API key.'),
});

/** A purge as it was accepted: what the queue carries, and what its record is made of. */
export const AcceptedPurge = z.object({
  id: z.string(),
  accountId: z.string(),
  propertyId: z.string(),
  hostnames: z.array(z.string()),
  type: PurgeType,
  soft: z.boolean(),
  /** In the canonical form; empty for the type `all`. */
  values: z.array(z.string()),
  jobCount: z.int(),
  requestedBy: RequestedBy,
  createdAt: z.string(),
});
export type AcceptedPurge = z.output<typeof AcceptedPurge>;
