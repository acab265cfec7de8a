import * as z from 'zod';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { deleteProperty } from '../../shared/property/property-change-table.ts';

export const endpoint = declareEndpoint({
  method: 'DELETE',
  path: '/api/property/{propertyId}',
  access: 'account',
  summary: 'Delete a property and its rules; its host names are free at once',
  data: z.object({ id: z.string().describe('Id of the deleted property.') }),
  touches: {
    tables: { properties: ['GetItem', 'DeleteItem', 'UpdateItem'], hostnames: ['DeleteItem'] },
  },
});

export const handler = serve(endpoint, async ({ caller, params, ifMatch }) => {
  await deleteProperty(caller.accountId, params.propertyId, ifMatch);
  return { id: params.propertyId };
});
