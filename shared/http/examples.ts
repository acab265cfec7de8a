import * as z from 'zod';

/** Examples of a body or of a response's `data`, by name, for the description. */
export const examples = z.registry<Readonly<Record<string, z.core.$input>>>();

/** Ids in examples, the same everywhere, so that all examples tell one story. */
export const exampleIds = {
  account: '01kaf3y1qg8v5rt2x0m4bn7cde',
  apiKey: '01kaf3zs4r6h1yw9p3d8kq5jvt',
  property: '01kaf42m7x3c9bn5e0t8rgw6ha',
  purge: '01kaf4c9dz1k7mv4s2x6yq8pjt',
  rule: '01kaf46b5v2n8qk1j7w3ztm9xr',
  ticket: '01kaf4h0p8t5xd2r6c1vm9yqgk',
  ticketMessage: '01kaf4h0p8j3wn7b4z5ksg1etr',
} as const;

/** When it all happened. */
export const exampleTime = '2026-11-20T09:30:00.000Z';
