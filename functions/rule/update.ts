import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { Rule, UpdateRule } from '../../shared/rule/rule.ts';
import { updateRule, updateRuleTouches } from '../../shared/rule/rule-change-table.ts';

export const endpoint = declareEndpoint({
  method: 'PATCH',
  path: '/api/property/{propertyId}/rules/{ruleId}',
  access: 'account',
  summary: 'Change a rule by a merge patch',
  description:
    'What is left out stays as it is, arrays are replaced whole, and null sets a field back to its default.',
  body: UpdateRule,
  data: Rule,
  touches: updateRuleTouches,
});

export const handler = serve(endpoint, ({ caller, params, body, ifMatch }) =>
  updateRule(caller.accountId, params.propertyId, params.ruleId, body, ifMatch),
);
