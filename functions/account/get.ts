import { Account } from '../../shared/account/account.ts';
import { getAccount } from '../../shared/account/account-table.ts';
import { usedCredential } from '../../shared/auth/used-credential.ts';
import { ApiError } from '../../shared/http/api-error.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/account',
  access: 'account',
  summary: 'The credential’s own account',
  data: Account,
  touches: { tables: { accounts: ['GetItem'] } },
});

export const handler = serve(endpoint, async ({ caller }) => {
  const account = await getAccount(caller.accountId);
  if (!account) throw new ApiError('notFound', 'Account not found.');
  return {
    id: account.accountId,
    name: account.name,
    createdAt: account.createdAt,
    credential: usedCredential(caller),
  };
});
