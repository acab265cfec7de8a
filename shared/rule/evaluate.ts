import * as z from 'zod';
import { exampleIds, examples } from '../http/examples.ts';
import type { Property } from '../property/property.ts';
import { conditionTest } from './conditions.ts';
import { Outcome, outcomeOf } from './outcome.ts';
import type { Rule } from './rule.ts';
import type { TestedRequest } from './test-request.ts';

export const Evaluation = z
  .object({
    matched: z
      .array(z.object({ id: z.string().describe('Id of the rule.'), name: z.string().describe('Its name.') }))
      .describe('The enabled rules that match, in the order of evaluation.'),
    treatment: Outcome.describe(
      'What an edge that applied the rules would do with the request. The edge kit does not apply them yet.',
    ),
  })
  .meta({ id: 'Evaluation', description: 'What the rules of a property make of a request.' })
  .register(examples, {
    evaluation: {
      matched: [{ id: exampleIds.rule, name: 'Long images' }],
      treatment: {
        cacheTtlSeconds: 86_400,
        browserTtlSeconds: 0,
        bypass: false,
        block: false,
        forceHttps: false,
        ignoreQueryString: ['utm_source'],
        redirect: null,
        path: null,
        requestHeaders: {},
        responseHeaders: { 'X-Frame-Options': 'DENY', Server: null },
      },
    },
  });
export type Evaluation = z.output<typeof Evaluation>;

/**
 * What the rules make of a request. Conditions always look at the request as the client sent it, never at what
 * an earlier rule made of it. A matching rule that stops, blocks or redirects is the last; what earlier rules
 * set on the response goes with the edge's own response too.
 * @param rules in the order of evaluation
 */
export function evaluate(
  rules: readonly Rule[],
  request: TestedRequest,
  cache: Property['cache'],
): Evaluation {
  const holds = conditionTest(request);
  const matches = ({ match, conditions }: Rule): boolean =>
    match === 'all' || conditions.length === 0 ? conditions.every(holds) : conditions.some(holds);
  const matched: Rule[] = [];
  for (const rule of rules) {
    if (!rule.enabled || !matches(rule)) continue;
    matched.push(rule);
    if (isFinal(rule)) break;
  }
  return {
    matched: matched.map(({ id, name }) => ({ id, name })),
    treatment: outcomeOf(
      matched.flatMap(({ actions }) => actions),
      request,
      cache,
    ),
  };
}

/** Block and redirect are the edge's own response, which nothing after them could change. */
function isFinal({ stop, actions }: Rule): boolean {
  return stop || actions.some(({ type }) => type === 'block' || type === 'redirect');
}
