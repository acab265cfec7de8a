import * as z from 'zod';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { deleteRule } from '../../shared/rule/rule-change-table.ts';

export const endpoint = declareEndpoint({
  method: 'DELETE',
  path: '/api/property/{propertyId}/rules/{ruleId}',
  access: 'account',
  summary: 'Delete a rule',
  data: z.object({ id: z.string().describe('Id of the deleted rule.') }),
  touches: {
    tables: {
      properties: ['GetItem', 'ConditionCheckItem'],
      rules: ['GetItem', 'DeleteItem', 'UpdateItem'],
    },
  },
});

export const handler = serve(endpoint, async ({ caller, params, ifMatch }) => {
  await deleteRule(caller.accountId, params.propertyId, params.ruleId, ifMatch);
  return { id: params.ruleId };
});
