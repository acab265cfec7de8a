import { createApiKey, createApiKeyTouches } from '../../shared/account/account-api-key-table.ts';
import { CreateApiKey, NewApiKey } from '../../shared/account/api-key.ts';
import { messages } from '../../shared/ground/messages.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/account/api-keys',
  access: 'account',
  neverStored: true,
  summary: 'Create an API key; it is shown this once',
  description:
    'The response is the only place that ever shows the whole key. A key may do what its account may do, and is valid until it is revoked.',
  failures: {
    notFound: { description: 'The account is gone or disabled.', message: messages.notFound('Account') },
  },
  body: CreateApiKey,
  data: NewApiKey,
  created: true,
  touches: createApiKeyTouches,
});

export const handler = serve(endpoint, ({ caller, body: { name, symbols } }) =>
  createApiKey(caller.accountId, name, { symbols }),
);
