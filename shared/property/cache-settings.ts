import * as z from 'zod';
import { oneOf, SingleLine } from '../http/text.ts';
import { Seconds } from '../http/time.ts';
import { appliedByEdges } from './applied-by-edges.ts';

const queryStringModes = ['include', 'ignore', 'allow', 'deny'] as const;

const QueryString = z.strictObject(
  {
    mode: z
      .enum(queryStringModes, oneOf(queryStringModes))
      .default('include')
      .describe(
        'Which query parameters tell objects apart: all, none, only the named, or all but the named.',
      ),
    names: z
      .array(SingleLine, 'must be an array of strings')
      .max(50, 'must hold at most 50 names')
      .default([])
      .describe('Parameters that the mode speaks of.'),
  },
  'must be an object',
);

/** How a property's responses are kept. */
export const CacheSettings = z.strictObject(
  {
    ttlSeconds: Seconds.default(3600).describe(
      `How long edges keep a response, where its origin does not say. ${appliedByEdges}`,
    ),
    browserTtlSeconds: Seconds.nullable()
      .default(null)
      .describe(
        `How long browsers keep a response: null as the origin says, 0 not at all. ${appliedByEdges}`,
      ),
    staleWhileRevalidateSeconds: Seconds.default(0).describe(
      `How long a stale response is served while it is fetched again. ${appliedByEdges}`,
    ),
    staleIfErrorSeconds: Seconds.default(0).describe(
      `How long a stale response is served while the origin fails. ${appliedByEdges}`,
    ),
    queryString: QueryString.prefault({}).describe(`How the query counts. ${appliedByEdges}`),
  },
  'must be an object',
);

/** As they are stored: a version that is rolled out, or back, may know more of them. */
export const StoredCacheSettings = z.object({
  ...CacheSettings.shape,
  queryString: z.object(QueryString.shape).prefault({}).describe(`How the query counts. ${appliedByEdges}`),
});

export const exampleCacheSettings: z.input<typeof CacheSettings> = {
  ttlSeconds: 3600,
  browserTtlSeconds: 300,
  staleWhileRevalidateSeconds: 60,
  staleIfErrorSeconds: 86_400,
  queryString: { mode: 'deny', names: ['utm_source', 'utm_campaign'] },
};
