import type { ConfigDocument } from '../../../../shared/edge-config/document.ts';
import { canonicalTarget } from '../../../../shared/property/canonical-url.ts';
import type { Condition } from '../../../../shared/rule/condition.ts';
import { evaluate } from '../../../../shared/rule/evaluate.ts';
import { evaluatedRequest } from '../../../../shared/rule/evaluated-request.ts';
import { ruleOf } from './config-bench.ts';
import { configDocument } from './config-documents.ts';
import type { Ask } from './edge-client.ts';

/** What of a query a property's responses differ by. */
export interface QueryMode {
  readonly name: string;
  readonly queryString: ConfigDocument['cache']['queryString'];
  readonly rules: ConfigDocument['rules'];
  /** Whether a path has several responses of which each is for several queries: a purge of one takes them all. */
  readonly isPartial: boolean;
}

const whole: QueryMode['queryString'] = { mode: 'include', names: [] };
const ofOneVariant: Condition = {
  field: 'header',
  name: 'x-variant',
  operator: 'equals',
  values: ['a'],
  negate: false,
};
const withoutA = ruleOf({ type: 'ignoreQueryString', names: ['a'] });

export const wholeQuery: QueryMode = { name: 'include', queryString: whole, rules: [], isPartial: false };

export const queryModes: readonly QueryMode[] = [
  wholeQuery,
  { name: 'ignore', queryString: { mode: 'ignore', names: [] }, rules: [], isPartial: false },
  { name: 'allow', queryString: { mode: 'allow', names: ['a'] }, rules: [], isPartial: true },
  { name: 'deny', queryString: { mode: 'deny', names: ['a'] }, rules: [], isPartial: true },
  {
    name: 'ignoreQueryString',
    queryString: whole,
    rules: [ruleOf({ type: 'ignoreQueryString' })],
    isPartial: false,
  },
  {
    name: 'ignoreQueryString for some visitors',
    queryString: whole,
    rules: [{ ...withoutA, conditions: [ofOneVariant] }],
    isPartial: true,
  },
];

/** What a visitor is served, as far as the query decides it. */
export interface Shared {
  /** The same for all whose response is the same. */
  readonly target: string;
  /** Whether others may share it, who ask with another query. */
  readonly isReduced: boolean;
}

/** @returns undefined for a request that the edge refuses */
export function sharedAs(
  { queryString, rules }: QueryMode,
  { target, headers = {} }: Pick<Ask, 'target' | 'headers'>,
): Shared | undefined {
  const request = evaluatedRequest({
    scheme: 'http',
    hostname: 'www.shared.example',
    method: 'GET',
    target,
    headers: Object.entries(headers),
  });
  if (!request) return undefined;
  const { cache } = configDocument();
  const { ignoreQueryString: ignored } = evaluate(
    { rules, cache: { ...cache, queryString } },
    request,
  ).treatment;
  const canonical = canonicalTarget(target);
  return {
    target: ignored === false ? canonical : without(ignored, canonical),
    isReduced: ignored !== false || queryString.mode === 'allow',
  };
}

function without(ignored: true | readonly string[], canonical: string): string {
  const [path = '', ...search] = canonical.split('?');
  const parameters = search.length > 0 ? search.join('?').split('&') : [];
  const isLeft = (parameter: string): boolean => {
    const names = [...new URLSearchParams(`&${parameter}`).keys()];
    return ignored !== true && !names.some((name) => ignored.includes(name));
  };
  const left = parameters.filter(isLeft);
  return left.length > 0 ? `${path}?${left.join('&')}` : path;
}
