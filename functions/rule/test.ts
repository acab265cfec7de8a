import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { getProperty, getPropertyTouches } from '../../shared/property/property-table.ts';
import { compileRules } from '../../shared/rule/compiled-rule.ts';
import { Evaluation, evaluate } from '../../shared/rule/evaluate.ts';
import { allRules, allRulesTouches } from '../../shared/rule/rule-table.ts';
import { TestRequest, testedRequest } from '../../shared/rule/test-request.ts';

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/property/{propertyId}/rules/test',
  access: 'account',
  summary: 'Tell what a property’s rules make of a request; nothing is sent to any edge',
  description:
    'Says which rules match, in the order of evaluation, and what an edge that the API configures does.',
  body: TestRequest,
  data: Evaluation,
  touches: touching(getPropertyTouches, allRulesTouches),
});

export const handler = serve(endpoint, async ({ caller, params, body }) => {
  const [{ hostnames, cache }, rules] = await Promise.all([
    getProperty(caller.accountId, params.propertyId),
    allRules(params.propertyId),
  ]);
  return evaluate({ rules: compileRules(rules), cache }, testedRequest(body, hostnames));
});
