import * as z from 'zod';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { exampleIds, examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';
import { deleteProperty } from '../../shared/property/property-change-table.ts';
import { deleteRulesOf } from '../../shared/rule/rule-table.ts';

const DeletedProperty = z
  .object({ id: z.string().describe('Id of the deleted property.') })
  .meta({ id: 'DeletedProperty', description: 'A property that is no more.' })
  .register(examples, { property: { id: exampleIds.property } });

export const endpoint = declareEndpoint({
  method: 'DELETE',
  path: '/api/property/{propertyId}',
  access: 'account',
  summary: 'Delete a property and its rules; its host names are free at once',
  description: 'Its rules go after it. Its purges can be read no more.',
  data: DeletedProperty,
  touches: {
    tables: {
      properties: ['GetItem', 'DeleteItem', 'UpdateItem'],
      hostnames: ['DeleteItem'],
      rules: ['Query', 'BatchWriteItem'],
    },
  },
});

export const handler = serve(endpoint, async ({ caller, params, ifMatch }) => {
  await deleteProperty(caller.accountId, params.propertyId, ifMatch);
  await deleteRulesOf(params.propertyId);
  return { id: params.propertyId };
});
