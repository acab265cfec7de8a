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

const OriginUrl = Line.superRefine((text, context) => {
  const fault = originFault(text, fromEnvironment(settingVariable('allowPrivateOrigins')) === 'true');
  if (fault) context.addIssue({ code: 'custom', message: fault });
});

const statuses = ['active', 'paused'] as const;
const queryStringModes = ['include', 'ignore', 'allow', 'deny'] as const;

const QueryString = z.strictObject({
  mode: z.enum(queryStringModes, `must be one of ${queryStringModes.join(', ')}`).default('include'),
  names: z.array(Line, 'must be an array of strings').max(50, 'must hold at most 50 names').default([]),
});

const Cache = z.strictObject({
  ttlSeconds: Seconds.default(3600),
  browserTtlSeconds: Seconds.default(0),
  staleWhileRevalidateSeconds: Seconds.default(0),
  staleIfErrorSeconds: Seconds.default(0),
  queryString: QueryString.prefault({}),
});

export const CreateProperty = z.strictObject(
  {
    name: Line,
    hostnames: Hostnames,
    origin: z.strictObject({ url: OriginUrl, hostHeader: Line.optional() }, 'must be an object with a url'),
    status: z.enum(statuses, 'must be active or paused').default('active'),
    cache: Cache.prefault({}),
  },
  'must be a JSON object',
);
export type CreateProperty = z.output<typeof CreateProperty>;

/** A merge patch: arrays are replaced, null sets a field back. */
export const UpdateProperty = patchSchema(CreateProperty);

/** What a customer sees of a property. Cache settings are recorded, not yet applied by the edge kit. */
export const Property = z.object({
  id: z.string(),
  name: z.string(),
  hostnames: z.array(z.string()),
  origin: z.object({ url: z.string(), hostHeader: z.string().optional() }),
  status: z.enum(statuses),
  cache: z.object({
    ttlSeconds: z.int(),
    browserTtlSeconds: z.int(),
    staleWhileRevalidateSeconds: z.int(),
    staleIfErrorSeconds: z.int(),
    queryString: z.object({ mode: z.enum(queryStringModes), names: z.array(z.string()) }),
  }),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.int(),
});
export type Property = z.output<typeof Property>;

export const propertyNotFound = 'Property not found.';
