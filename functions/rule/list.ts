import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { PageQuery } from '../../shared/http/page.ts';
import { serve } from '../../shared/http/serve.ts';
import { Rule } from '../../shared/rule/rule.ts';
import { listRules, listRulesTouches } from '../../shared/rule/rule-table.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/property/{propertyId}/rules',
  access: 'account',
  summary: 'List a property’s rules in the order of evaluation: low priority first',
  description: 'In the order of priority, then of id. The total is exact.',
  query: PageQuery,
  data: Rule,
  list: true,
  touches: listRulesTouches,
});

export const handler = serve(endpoint, ({ caller, params, query }) =>
  listRules(caller.accountId, params.propertyId, query),
);
