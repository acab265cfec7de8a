import * as z from 'zod';
import { messages } from '../ground/messages.ts';
import { fromEnvironment, settingVariable, type Touches } from '../ground/resources.ts';
import { examples } from '../http/examples.ts';
import { patchSchema } from '../http/patch-schema.ts';
import { SingleLine, storedLine } from '../http/text.ts';
import { appliedByEdges } from './applied-by-edges.ts';
import { CacheSettings, exampleCacheSettings } from './cache-settings.ts';
import { canonicalHostname, hostnameInUrl } from './hostname.ts';
import { originFault } from './origin.ts';
import { PropertyName, PropertyStatus } from './property.ts';

const maximumHostnames = 40;

const Hostname = z.string('must be a string').transform((text, context) => {
  const hostname = canonicalHostname(text);
  if (hostname) return hostname;
  const inUrl = hostnameInUrl(text);
  context.addIssue({
    code: 'custom',
    message: inUrl
      ? messages.hostnameNotUrl(inUrl)
      : 'must be a host name like www.example.com, without port or path',
  });
  return z.NEVER;
});

const Hostnames = z
  .array(Hostname, 'must be an array of host names')
  .min(1, 'must hold at least one host name')
  .max(maximumHostnames, `must hold at most ${maximumHostnames} host names`)
  .refine((names) => new Set(names).size === names.length, 'must not hold the same host name twice');

/** Stored as it was understood, so that nobody reads another host out of it. */
const OriginUrl = SingleLine.transform((text, context) => {
  const fault = originFault(text, fromEnvironment(settingVariable('allowPrivateOrigins')) === 'true');
  if (!fault) return new URL(text).href.replace(/\/+$/, '');
  context.addIssue({ code: 'custom', message: fault });
  return z.NEVER;
}).pipe(storedLine('once escaped'));

const HostHeader = SingleLine.regex(
  /^[A-Za-z0-9.-]+(:\d{1,5})?$/,
  'must be a host name, with a port where one is needed',
);

/** What it takes to parse the properties that clients send. */
export const propertyInputTouches = { settings: ['allowPrivateOrigins'] } as const satisfies Touches;

export const CreateProperty = z
  .strictObject(
    {
      name: PropertyName,
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
        .describe(`Where content comes from. ${appliedByEdges}`),
      status: PropertyStatus,
      cache: CacheSettings.prefault({}).describe(`How responses are kept. ${appliedByEdges}`),
    },
    'must be a JSON object',
  )
  .meta({ id: 'CreateProperty', description: 'A new property.' })
  .register(examples, {
    least: {
      name: 'Shop',
      hostnames: ['www.example.com', 'example.com'],
      origin: { url: 'https://origin.example.com' },
    },
    all: {
      name: 'Shop',
      hostnames: ['www.example.com'],
      origin: { url: 'https://origin.example.com', hostHeader: 'shop.example.com' },
      status: 'active',
      cache: exampleCacheSettings,
    },
  });
export type CreateProperty = z.output<typeof CreateProperty>;

export const UpdateProperty = patchSchema(CreateProperty)
  .meta({
    id: 'UpdateProperty',
    description: 'A merge patch: what is left out stays, arrays are replaced, null sets a field back.',
  })
  .register(examples, {
    pause: { status: 'paused' },
    cache: { cache: { ttlSeconds: 600, queryString: null } },
  });
