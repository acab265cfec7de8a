import { revokeApiKey } from '../../../shared/account/account-api-key-table.ts';
import { authenticationMessages } from '../../../shared/ground/messages.ts';
import { ask, requireStatus } from './ask.ts';
import type { Check } from './check.ts';

/** The last one: it takes the doctor's key away. */
export const revocation: Check = {
  name: 'revocation',
  run: async ({ addresses, key: makeKey, limitSeconds }) => {
    const { accountId, id, key } = await makeKey();
    await revokeApiKey(accountId, id);
    const [address] = await addresses();
    const signal = AbortSignal.timeout(limitSeconds * 1000);
    const response = await ask(`${address}/api/account`, { key, signal });
    if (response.status === 200)
      throw new Error(`${response.request} lets a revoked key in: somebody caches responses. Deploy again.`);
    requireStatus(response, 401);
    const { message } = response.envelope;
    if (message !== authenticationMessages.keyRevoked)
      throw new Error(`A revoked key is refused with "${message}". Deploy again.`);
    return 'The key of these checks is revoked, and was refused at once.';
  },
};
