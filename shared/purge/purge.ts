import * as z from 'zod';
import { UsedCredential } from '../auth/used-credential.ts';
import { PurgeType } from '../ground/purge-type.ts';
import { examples } from '../http/examples.ts';
import { oneOf } from '../http/text.ts';
import { UrlValues, WordValues } from './values.ts';

const soft = z
  .boolean('must be true or false')
  .default(false)
  .describe('True marks the content stale instead of removing it.');

/** Body of a purge; the field of one type is unknown to the others. */
export const PurgeRequest = z
  .discriminatedUnion(
    'type',
    [
      z.strictObject({ type: typeIs('all', 'Everything of the property, on all its host names.'), soft }),
      z.strictObject({
        type: typeIs('url', 'Each URL, with every variant of it.'),
        urls: UrlValues.describe(
          'URLs of the property (//host/path is one too), or paths meaning all of its host names. A * at the end is refused, because there are no wildcards: write %2A for the character.',
        ),
        soft,
      }),
      z.strictObject({
        type: typeIs('prefix', 'Every URL under the paths, on a path-segment border.'),
        prefixes: UrlValues.describe(
          'Paths, or URLs (//host/path is one too), without a query and without a * at the end.',
        ),
        soft,
      }),
      z.strictObject({
        type: typeIs('tag', 'Every object of the property that carried one of the tags.'),
        tags: WordValues.describe('Tags as the origin wrote them in the edge’s tag header; case counts.'),
        soft,
      }),
      z.strictObject({
        type: typeIs('hostname', 'Everything on these of the property’s host names.'),
        hostnames: WordValues.describe('Host names of the property.'),
        soft,
      }),
    ],
    {
      error: ({ code }) => (code === 'invalid_union' ? oneOf(PurgeType.options) : 'must be a JSON object'),
    },
  )
  .meta({ id: 'PurgeRequest', description: 'What to remove; type decides which other fields there are.' })
  .register(examples, {
    all: { type: 'all' },
    urls: { type: 'url', urls: ['/', 'https://www.example.com/news?page=2'] },
    joinedUrls: { type: 'url', urls: '/|/news?page=2' },
    prefixes: { type: 'prefix', prefixes: ['/images/'], soft: true },
    tags: { type: 'tag', tags: ['article-17', 'front'] },
    joinedTags: { type: 'tag', tags: 'article-17 front' },
    hostnames: { type: 'hostname', hostnames: ['www.example.com'] },
  });
export type PurgeRequest = z.output<typeof PurgeRequest>;

/** Each type has a body. */
true satisfies PurgeType extends PurgeRequest['type'] ? true : false;

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
  requestedBy: UsedCredential,
  createdAt: z.string(),
});
export type AcceptedPurge = z.output<typeof AcceptedPurge>;

/** By what a purge is known. */
export interface PurgeKey {
  readonly propertyId: string;
  readonly id: string;
}

function typeIs<Type extends PurgeType>(type: Type, description: string) {
  return z.literal(type).describe(description);
}
