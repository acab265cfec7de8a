import * as z from 'zod';
import { revokeApiKey } from '../../shared/account/account-api-key-table.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';

export const endpoint = declareEndpoint({
  method: 'DELETE',
  path: '/api/account/api-keys/{apiKeyId}',
  access: 'account',
  summary: 'Revoke an API key for good',
  data: z.object({ id: z.string(), revokedAt: z.string().describe('When it was revoked first.') }),
  touches: { tables: { accountApiKeys: ['GetItem', 'UpdateItem'], apiKeys: ['UpdateItem'] } },
});

export const handler = serve(endpoint, ({ caller, params }) =>
  revokeApiKey(caller.accountId, params.apiKeyId),
);
