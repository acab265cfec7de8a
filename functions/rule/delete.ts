import * as z from 'zod';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { exampleIds, examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';
import { deleteRule, deleteRuleTouches } from '../../shared/rule/rule-change-table.ts';

const DeletedRule = z
  .object({ id: z.string().describe('Id of the deleted rule.') })
  .meta({ id: 'DeletedRule', description: 'A rule that was deleted.' })
  .register(examples, { rule: { id: exampleIds.rule } });

export const endpoint = declareEndpoint({
  method: 'DELETE',
  path: '/api/property/{propertyId}/rules/{ruleId}',
  access: 'account',
  summary: 'Delete a rule',
  description: 'The other rules keep their priorities.',
  data: DeletedRule,
  touches: deleteRuleTouches,
});

export const handler = serve(endpoint, async ({ caller, params, ifMatch }) => {
  await deleteRule(caller.accountId, params.propertyId, params.ruleId, ifMatch);
  return { id: params.ruleId };
});
