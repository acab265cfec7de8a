import * as z from 'zod';
import { exampleIds, examples, exampleTime } from '../http/examples.ts';
import { SingleLine } from '../http/text.ts';
import { Time } from '../http/time.ts';
import { appliedByEdges } from './applied-by-edges.ts';
import { exampleCacheSettings, StoredCacheSettings } from './cache-settings.ts';

export const PropertyName = SingleLine.describe('A name of your own.');

export const PropertyStatus = z
  .enum(['active', 'paused'], 'must be active or paused')
  .default('active')
  .describe(`Whether it is served: active or paused. ${appliedByEdges}`);

/** What a customer sees of a property: what was checked when it was stored, and is not checked again. */
export const Property = z
  .object({
    id: z.string().describe('By which the property is named in paths.'),
    name: PropertyName,
    hostnames: z.array(z.string()).describe('Host names that it serves, in lower-case ASCII.'),
    origin: z
      .object({
        url: z.string().describe('URL of the origin.'),
        hostHeader: z.string().optional().describe('Host header for the origin.'),
      })
      .describe(`Where content comes from. ${appliedByEdges}`),
    status: PropertyStatus,
    cache: StoredCacheSettings.describe(`How responses are kept. ${appliedByEdges}`),
    createdAt: Time.describe('When it was made.'),
    updatedAt: Time.describe('When it last changed.'),
    version: z.int().describe('Grows with each change; for If-Match.'),
  })
  .meta({ id: 'Property', description: 'A web site that the network delivers.' })
  .register(examples, {
    property: {
      id: exampleIds.property,
      name: 'Shop',
      hostnames: ['www.example.com'],
      origin: { url: 'https://origin.example.com' },
      status: 'active',
      cache: exampleCacheSettings,
      createdAt: exampleTime,
      updatedAt: exampleTime,
      version: 3,
    },
  });
export type Property = z.output<typeof Property>;

/** As the table holds it. */
export type StoredProperty = z.input<typeof Property>;
