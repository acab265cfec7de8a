import * as z from 'zod';
import { Line } from '../http/text.ts';

export const CreateApiKey = z.strictObject(
  { name: Line.describe('What the key is for, in words of your own.') },
  'must be a JSON object',
);

/** An API key as its account sees it after creation. */
export const ApiKey = z.object({
  id: z.string().describe('By which the key is revoked.'),
  name: z.string(),
  prefix: z.string().describe('The first 8 characters of the key.'),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable().describe('The second of the last successful authentication.'),
  revokedAt: z.string().nullable(),
});
export type ApiKey = z.output<typeof ApiKey>;

/** An API key at its creation, the only time that it can be seen. */
export const NewApiKey = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  createdAt: z.string(),
  key: z.string().describe('The raw key. It cannot be had again.'),
});
export type NewApiKey = z.output<typeof NewApiKey>;
