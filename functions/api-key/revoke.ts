import { revokeApiKey, revokeApiKeyTouches } from '../../shared/account/account-api-key-table.ts';
import { RevokedApiKey } from '../../shared/account/api-key.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';

export const endpoint = declareEndpoint({
  method: 'DELETE',
  path: '/api/account/api-keys/{apiKeyId}',
  access: 'account',
  summary: 'Revoke an API key for good',
  description: 'It takes effect before the response. Revoking a revoked key changes nothing.',
  data: RevokedApiKey,
  touches: revokeApiKeyTouches,
});

export const handler = serve(endpoint, ({ caller, params }) =>
  revokeApiKey(caller.accountId, params.apiKeyId),
);
