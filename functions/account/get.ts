import { Account } from '../../shared/account/account.ts';
import { getAccountTouches, requireAccount } from '../../shared/account/account-table.ts';
import { usedCredential } from '../../shared/auth/used-credential.ts';
import { messages } from '../../shared/ground/messages.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/account',
  access: 'account',
  summary: 'The credential’s own account',
  description:
    'What a plugin’s connection test calls: it tells which credential was used, and that it is valid.',
  failures: { notFound: { description: 'The account is gone.', message: messages.notFound('Account') } },
  data: Account,
  touches: getAccountTouches,
});

export const handler = serve(endpoint, async ({ caller }) => {
  const account = await requireAccount(caller.accountId);
  return {
    id: account.accountId,
    name: account.name,
    createdAt: account.createdAt,
    credential: usedCredential(caller),
  };
});
