import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { Rule } from '../../shared/rule/rule.ts';
import { getRule, getRuleTouches } from '../../shared/rule/rule-table.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/property/{propertyId}/rules/{ruleId}',
  access: 'account',
  summary: 'Read a rule',
  description: 'The version is the ETag too.',
  data: Rule,
  touches: getRuleTouches,
});

export const handler = serve(endpoint, ({ caller, params }) =>
  getRule(caller.accountId, params.propertyId, params.ruleId),
);
