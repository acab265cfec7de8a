import * as z from 'zod';
import { exampleIds, examples } from '../http/examples.ts';
import { appliedByEdges } from '../property/applied-by-edges.ts';
import type { Property } from '../property/property.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { conditionTest } from './conditions.ts';
import type { EvaluatedRequest } from './evaluated-request.ts';
import { Outcome, outcomeOf } from './outcome.ts';

export const Evaluation = z
  .object({
    matched: z
      .array(z.object({ id: z.string().describe('Id of the rule.'), name: z.string().describe('Its name.') }))
      .describe('The enabled rules that match, in the order of evaluation.'),
    treatment: Outcome.describe(`What an edge does with the request. ${appliedByEdges}`),
  })
  .meta({ id: 'Evaluation', description: 'What the rules of a property make of a request.' })
  .register(examples, {
    evaluation: {
      matched: [{ id: exampleIds.rule, name: 'Long images' }],
      treatment: {
        cacheTtlSeconds: 86_400,
        browserTtlSeconds: null,
        bypass: false,
        block: false,
        forceHttps: false,
        ignoreQueryString: ['utm_source'],
        redirect: null,
        path: null,
        requestHeaders: {},
        responseHeaders: { 'X-Frame-Options': 'DENY', Server: null },
        cacheTtlOverridesOrigin: true,
      },
    },
  });
export type Evaluation = z.output<typeof Evaluation>;

/** Of a property's document, what requests are evaluated by. */
interface EvaluatedConfig {
  readonly rules: readonly CompiledRule[];
  readonly cache: Property['cache'];
}

/**
 * What the rules make of a request. Conditions always look at the request as the client sent it, never at what
 * an earlier rule made of it. A matching rule that stops, blocks or redirects is the last; what earlier rules
 * set on the response goes with the edge's own response too.
 */
export function evaluate({ rules, cache }: EvaluatedConfig, request: EvaluatedRequest): Evaluation {
  const holds = conditionTest(request);
  const matched: CompiledRule[] = [];
  for (const rule of rules) {
    const { match, conditions } = rule;
    if (!(match === 'all' ? conditions.every(holds) : conditions.some(holds))) continue;
    matched.push(rule);
    if (rule.isFinal) break;
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
