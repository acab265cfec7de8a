import { messages } from '../../shared/ground/messages.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { createRule, createRuleTouches } from '../../shared/rule/create-rule.ts';
import { CreateRule, maximumRules, Rule } from '../../shared/rule/rule.ts';

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/property/{propertyId}/rules',
  access: 'account',
  summary: 'Create a rule of a property',
  description: 'A property has at most 100 rules, each of at most 8 KB of JSON.',
  failures: {
    conflict: {
      description: 'The property has 100 rules already.',
      message: messages.rulesFull(maximumRules),
    },
  },
  body: CreateRule,
  data: Rule,
  created: true,
  touches: createRuleTouches,
});

export const handler = serve(endpoint, ({ caller, params, body, operation }) =>
  createRule(caller.accountId, params.propertyId, body, operation),
);
