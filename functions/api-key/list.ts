import { listApiKeys, listApiKeysTouches } from '../../shared/account/account-api-key-table.ts';
import { ApiKey } from '../../shared/account/api-key.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { PageQuery } from '../../shared/http/page.ts';
import { serve } from '../../shared/http/serve.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/account/api-keys',
  access: 'account',
  summary: 'List the account’s API keys, newest first',
  description: 'Revoked keys stay in the list. The total is exact.',
  query: PageQuery,
  data: ApiKey,
  list: true,
  touches: listApiKeysTouches,
});

export const handler = serve(endpoint, ({ caller, query }) => listApiKeys(caller.accountId, query));
