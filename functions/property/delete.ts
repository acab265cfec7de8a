import * as z from 'zod';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { exampleIds, examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';
import { deleteProperty, deletePropertyTouches } from '../../shared/property/property-change-table.ts';
import { deleteRulesOf, deleteRulesOfTouches } from '../../shared/rule/rule-table.ts';

const DeletedProperty = z
  .object({ id: z.string().describe('Id of the deleted property.') })
  .meta({ id: 'DeletedProperty', description: 'A property that was deleted.' })
  .register(examples, { property: { id: exampleIds.property } });

export const endpoint = declareEndpoint({
  method: 'DELETE',
  path: '/api/property/{propertyId}',
  access: 'account',
  summary: 'Delete a property and its rules; its host names are free at once',
  description: 'Its rules are deleted after it. Its purges can no longer be read.',
  data: DeletedProperty,
  touches: touching(deletePropertyTouches, deleteRulesOfTouches),
});

export const handler = serve(endpoint, async ({ caller, params, ifMatch }) => {
  await deleteProperty(caller.accountId, params.propertyId, ifMatch);
  await deleteRulesOf(params.propertyId);
  return { id: params.propertyId };
});
