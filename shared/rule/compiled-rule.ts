import type { Action } from './action.ts';
import type { Condition } from './condition.ts';
import { comparablePath } from './condition-path.ts';
import { isReservedHeader } from './header-name.ts';
import { inOrder, type Rule } from './rule.ts';

/** A rule as it is evaluated: there is nothing left to interpret, only to compare. */
export interface CompiledRule {
  readonly id: string;
  readonly name: string;
  /** `all` where there are no conditions. */
  readonly match: 'all' | 'any';
  /** Values as requests hold them, names of headers in lower case. */
  readonly conditions: readonly Condition[];
  readonly actions: readonly Action[];
  /** Ends the evaluation where it matches. */
  readonly isFinal: boolean;
}

/** The enabled ones, in the order of evaluation. */
export function compileRules(rules: readonly Rule[]): readonly CompiledRule[] {
  return rules
    .filter(({ enabled }) => enabled)
    .sort(inOrder)
    .map(({ id, name, match, conditions, actions, stop }) => ({
      id,
      name,
      match: conditions.length > 0 ? match : 'all',
      conditions: conditions.map(compileCondition),
      actions: actions.filter(isForCustomers),
      isFinal: stop || actions.some(isResponse),
    }));
}

/** The form in which a value meets what the request holds. */
const comparable: Readonly<Record<Condition['field'], (value: string) => string>> = {
  path: pathValue,
  host: lowerCase,
  scheme: lowerCase,
  method: lowerCase,
  extension: (value) => comparablePath(value).toLowerCase().replace(/^\./, ''),
  query: asItIs,
  header: asItIs,
  cookie: asItIs,
};

function compileCondition(condition: Condition): Condition {
  const compiled =
    condition.field === 'header' ? { ...condition, name: condition.name.toLowerCase() } : condition;
  return compiled.operator === 'exists'
    ? compiled
    : { ...compiled, values: compiled.values.map(comparable[compiled.field]) };
}

/** One that is nothing but slashes, and maybe wildcards, would match nearly every path once they are merged: it matches none. */
function pathValue(value: string): string {
  return /^[/*?]*\/\/[/*?]*$/.test(value) ? value : comparablePath(value);
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

function asItIs(text: string): string {
  return text;
}

/** Rules that were made before these names were refused may hold some. */
function isForCustomers(action: Action): boolean {
  return !('name' in action && isReservedHeader(action.name));
}

/** Block and redirect are the edge's own response, which nothing after them could change. */
function isResponse({ type }: Action): boolean {
  return type === 'block' || type === 'redirect';
}
