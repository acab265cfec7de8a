import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { PageQuery } from '../../shared/http/page.ts';
import { serve } from '../../shared/http/serve.ts';
import { Property } from '../../shared/property/property.ts';
import { listProperties, listPropertiesTouches } from '../../shared/property/property-table.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/property',
  access: 'account',
  summary: 'List the account’s properties, newest first',
  description: 'The total is exact.',
  query: PageQuery,
  data: Property,
  list: true,
  touches: listPropertiesTouches,
});

export const handler = serve(endpoint, ({ caller, query }) => listProperties(caller.accountId, query));
