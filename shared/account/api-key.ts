import * as z from 'zod';
import { exampleIds, examples, exampleTime } from '../http/examples.ts';
import { SingleLine } from '../http/text.ts';
import { Time } from '../http/time.ts';

export const CreateApiKey = z
  .strictObject(
    {
      name: SingleLine.describe('What the key is for, in words of your own.'),
      symbols: z
        .boolean('must be true or false')
        .default(true)
        .describe(
          'False draws letters and digits only, for clients that strip the rest from what they store.',
        ),
    },
    'must be a JSON object',
  )
  .meta({ id: 'CreateApiKey', description: 'A new API key.' })
  .register(examples, { key: { name: 'Web site' }, plain: { name: 'CMS plugin', symbols: false } });

const fields = {
  id: z.string().describe('By which the key is revoked.'),
  name: z.string().describe('What the key is for.'),
  prefix: z.string().describe('The first 8 characters of the key.'),
  createdAt: Time.describe('When the key was made.'),
} as const;

const example = { id: exampleIds.apiKey, name: 'Web site', prefix: 'svc_7Tq2', createdAt: exampleTime };

/** An API key as its account sees it after creation. */
export const ApiKey = z
  .object({
    ...fields,
    lastUsedAt: Time.nullable().describe(
      'The second of the last successful authentication; null where there was none.',
    ),
    revokedAt: Time.nullable().describe('When the key was revoked; null while it is valid.'),
  })
  .meta({ id: 'ApiKey', description: 'An API key, without its secret part.' })
  .register(examples, { key: { ...example, lastUsedAt: exampleTime, revokedAt: null } });
export type ApiKey = z.output<typeof ApiKey>;

/** An API key at its creation, the only time that it can be seen. */
export const NewApiKey = z
  .object({ ...fields, key: z.string().describe('The raw key. It is never shown again.') })
  .meta({ id: 'NewApiKey', description: 'An API key at its creation, with its secret.' })
  .register(examples, { key: { ...example, key: 'svc_7Tq2vB9x!Lm4Wz#8Rk1Np@6Yd3Hs' } });
export type NewApiKey = z.output<typeof NewApiKey>;

export const RevokedApiKey = z
  .object({
    id: z.string().describe('Id of the key.'),
    revokedAt: Time.describe('When it was revoked first.'),
  })
  .meta({ id: 'RevokedApiKey', description: 'An API key that is no longer valid.' })
  .register(examples, { key: { id: exampleIds.apiKey, revokedAt: exampleTime } });
