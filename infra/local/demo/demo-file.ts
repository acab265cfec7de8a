import * as z from 'zod';

export const demoFile = 'demo.json';

/** What a newcomer, or a test, needs to try the run. */
export const Demo = z.object({
  baseUrl: z.string(),
  edgeUrl: z.string(),
  originUrl: z.string(),
  accountId: z.string(),
  username: z.string(),
  password: z.string(),
  apiKey: z.string(),
  propertyId: z.string(),
  hostname: z.string(),
});
export type Demo = z.output<typeof Demo>;
