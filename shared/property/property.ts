import * as z from 'zod';
import { patchSchema } from '../http/patch-schema.ts';
import { Line } from '../http/text.ts';
import { fromEnvironment, settingVariable } from '../resources.ts';
import { canonicalHostname } from './hostname.ts';
import { originFault } from './origin.ts';

const maximumHostnames = 40;
const secondsInAYear = 31_536_000;

const Seconds = z
  .int('must be a whole number of seconds')
  .min(0, 'must be 0 or more')
  .max(secondsInAYear, `must be at most ${secondsInAYear}, a year`);

const Hostname = z.string('must be a string').transform((text, context) => {
  const hostname = canonicalHostname(text);
  if (hostname) return hostname;
  context.addIssue({
    code: 'custom',
    message: 'must be a host name like www.example.com, without port or path',
  });
  return z.NEVER;
});

const Hostnames = z
  .array(Hostname, 'must be an array of host names')
  .min(1, 'must hold at least one host name')
  .max(maximumHostnames, `must hold at most ${maximumHostnames} host names`)
  .refine((names) => new Set(names).size === names.length, 'must not hold the same host name twice');

/** Stored as it was understood, so that nobody reads another host out of it. */
const OriginUrl = Line.transform((text, context) => {
  const fault = originFault(text, fromEnvironment(settingVariable('allowPrivateOrigins')) === 'true');
  if (!fault) return new URL(text).href.replace(/\/$/, '');
  context.addIssue({ code: 'custom', message: fault });
  return z.NEVER;
});

const HostHeader = Line.regex(
  /^[A-Za-z0-9.-]+(:\d{1,5})?$/,
  'must be a host name, with a port where one is needed',
);

const statuses = ['active', 'paused'] as const;
const queryStringModes = ['include', 'ignore', 'allow', 'deny'] as const;

const notYetApplied = 'Recorded, but not yet applied by the edge kit.';

const QueryString = z.strictObject(
  {
    mode: z
      .enum(queryStringModes, `must be one of ${queryStringModes.join(', ')}`)
      .default('include')
      .describe(
        'Which query parameters tell objects apart: all, none, only the named, or all but the named.',
      ),
    names: z
      .array(Line, 'must be an array of strings')
      .max(50, 'must hold at most 50 names')
      .default([])
      .describe('Parameters that the mode speaks of.'),
  },
  'must be an object',
);

const Cache = z.strictObject(
  {
    ttlSeconds: Seconds.default(3600).describe(`How long edges keep an answer. ${notYetApplied}`),
    browserTtlSeconds: Seconds.default(0).describe(`How long browsers keep an answer. ${notYetApplied}`),
    staleWhileRevalidateSeconds: Seconds.default(0).describe(
      `How long a stale answer is served while it is fetched again. ${notYetApplied}`,
    ),
    staleIfErrorSeconds: Seconds.default(0).describe(
      `How long a stale answer is served while the origin fails. ${notYetApplied}`,
    ),
    queryString: QueryString.prefault({}).describe(`How the query counts. ${notYetApplied}`),
  },
  'must be an object',
);

export const CreateProperty = z.strictObject(
  {
    name: Line.describe('A name of your own.'),
    hostnames: Hostnames.describe(
      'Host names that it serves, each of one property only; international ones become punycode.',
    ),
    origin: z
      .strictObject(
        {
          url: OriginUrl.describe('http or https URL of the origin.'),
          hostHeader: HostHeader.optional().describe(
            'Host header for the origin, where it is not the visitor’s.',
          ),
        },
        'must be an object with a url',
      )
      .describe('Where content comes from.'),
    status: z.enum(statuses, 'must be active or paused').default('active').describe('Whether it is served.'),
    cache: Cache.prefault({}).describe('How answers are kept.'),
  },
  'must be a JSON object',
);
export type CreateProperty = z.output<typeof CreateProperty>;

/** A merge patch: arrays are replaced, null sets a field back. */
export const UpdateProperty = patchSchema(CreateProperty);

/** What a customer sees of a property: what was checked when it was stored, and is not checked again. */
export const Property = z.object({
  id: z.string().describe('By which the property is named in paths.'),
  ...CreateProperty.shape,
  hostnames: z.array(z.string()).describe('Host names that it serves, in lower-case ASCII.'),
  origin: z
    .object({
      url: z.string().describe('URL of the origin.'),
      hostHeader: z.string().optional().describe('Host header for the origin.'),
    })
    .describe('Where content comes from.'),
  createdAt: z.string().describe('ISO 8601 UTC.'),
  updatedAt: z.string().describe('ISO 8601 UTC.'),
  version: z.int().describe('Grows with each change; for If-Match.'),
});
export type Property = z.output<typeof Property>;

export const propertyNotFound = 'Property not found.';
