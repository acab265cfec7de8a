import * as z from 'zod';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { exampleIds, examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';
import { deleteProperty, deletePropertyTouches } from '../../shared/property/property-change-table.ts';
import {
  areOrphaned,
  areOrphanedTouches,
  deleteOrphaned,
  deleteOrphanedTouches,
  orphanRulesStep,
  orphanRulesStepTouches,
} from '../../shared/rule/orphaned-rules-table.ts';

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
  touches: touching(deletePropertyTouches, orphanRulesStepTouches, areOrphanedTouches, deleteOrphanedTouches),
});

export const handler = serve(endpoint, async ({ caller: { accountId }, params: { propertyId }, ifMatch }) => {
  // A retry of a request that got no further than the property goes on with its rules.
  if (!(await areOrphaned(accountId, propertyId)))
    await deleteProperty(accountId, propertyId, ifMatch, orphanRulesStep(accountId, propertyId));
  await deleteOrphaned(propertyId);
  return { id: propertyId };
});
