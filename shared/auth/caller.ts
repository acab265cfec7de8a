import * as z from 'zod';

/**
 * Who calls, as the authorizer found it. The gateway carries it as strings in `requestContext.authorizer`,
 * so every field is one.
 */
export const Caller = z.object({
  accountId: z.string(),
  scheme: z.literal('apiKey'),
  apiKeyId: z.string(),
  apiKeyPrefix: z.string(),
});
export type Caller = z.output<typeof Caller>;

/** @throws Error when an endpoint that needs a caller was reached without one: a fault of the wiring */
export const parseCaller = (authorizerContext: unknown): Caller => Caller.parse(authorizerContext);
