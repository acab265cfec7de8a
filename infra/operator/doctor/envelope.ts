import { authenticationMessages } from '../../../shared/ground/messages.ts';
import { ask, requireStatus } from './ask.ts';
import type { Check } from './check.ts';

const keyAsBearer = { Authorization: `Bearer svc_${'x'.repeat(28)}` };

/** The gateway's own response to what the authorizer denies, and the fallback's. */
const refused = [
  { path: '/api/account', headers: {}, message: authenticationMessages.missing },
  { path: '/api/account', headers: keyAsBearer, message: authenticationMessages.keyAsBearer },
  { path: '/API/Account', headers: {}, message: authenticationMessages.missing },
];

export const envelope: Check = {
  name: 'envelope',
  run: async ({ addresses, signal }) => {
    for (const address of await addresses())
      for (const { path, headers, message } of refused) {
        const response = await ask(address + path, { headers, signal });
        requireStatus(response, 401);
        const { request, envelope, requestId } = response;
        if (envelope.message !== message || envelope.succeeded)
          throw new Error(
            `The 401 of ${request} says "${envelope.message}", not "${message}". Deploy again.`,
          );
        if (!requestId) throw new Error(`The 401 of ${request} has no X-Request-Id. Deploy again.`);
      }
    return 'A 401 has the envelope, its own message and X-Request-Id, from the gateway and from the fallback.';
  },
};
