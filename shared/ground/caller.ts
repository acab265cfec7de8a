import * as z from 'zod';

/**
 * Who calls, as the authorizer found it. The gateway carries it as strings in `requestContext.authorizer`,
 * so every field is one.
 */
export const Caller = z.discriminatedUnion('scheme', [
  z.object({
    scheme: z.literal('apiKey'),
    accountId: z.string(),
    apiKeyId: z.string(),
    apiKeyPrefix: z.string(),
  }),
  z.object({
    scheme: z.literal('bearer'),
    accountId: z.string(),
    username: z.string(),
    twoFactorEnabled: z.enum(['true', 'false']),
  }),
]);
export type Caller = z.output<typeof Caller>;
export type BearerCaller = Extract<Caller, { readonly scheme: 'bearer' }>;

/** @throws Error when an endpoint that needs a caller was reached without one: a fault of the wiring */
export function parseCaller(authorizerContext: unknown): Caller {
  return Caller.parse(authorizerContext);
}
