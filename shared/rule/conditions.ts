import type { Condition } from './condition.ts';
import type { EvaluatedRequest } from './evaluated-request.ts';
import { type TextSearch, textSearch } from './text-search.ts';

type Compare = (text: string, value: string) => boolean;
type Comparison = Exclude<Condition['operator'], 'exists'>;

/** Tells whether compiled conditions hold for one request. */
export function conditionTest(request: EvaluatedRequest): (condition: Condition) => boolean {
  const compare = comparisons();
  const holds = (condition: Condition): boolean => {
    const texts = textsOf(condition, request);
    if (condition.operator === 'exists') return texts.length > 0;
    const matches = compare[condition.operator];
    return texts.some((text) => condition.values.some((value) => matches(text, value)));
  };
  return (condition) => holds(condition) !== (condition.negate ?? false);
}

function comparisons(): Readonly<Record<Comparison, Compare>> {
  const searches = new Map<string, TextSearch>();
  const searchIn = (text: string): TextSearch => {
    const search = searches.get(text) ?? textSearch(text);
    searches.set(text, search);
    return search;
  };
  return {
    equals: (text, value) => text === value,
    prefix: (text, value) => text.startsWith(value),
    suffix: (text, value) => text.endsWith(value),
    contains: (text, value) => searchIn(text).contains(value),
    wildcard: (text, value) => searchIn(text).wildcard(value),
  };
}

/** What of the request a condition looks at: nothing, one text, or several of one name. */
function textsOf(condition: Condition, request: EvaluatedRequest): readonly string[] {
  switch (condition.field) {
    case 'path':
    case 'host':
    case 'scheme':
    case 'method':
      return [request[condition.field]];
    case 'extension':
      return extensionOf(request.path);
    case 'query':
      return request.query.getAll(condition.name);
    case 'header':
      return (request.headers.get(condition.name) ?? []).map(([, value]) => value);
    case 'cookie':
      return (request.cookies.get(condition.name) ?? []).map(([, value]) => value);
  }
}

function extensionOf(path: string): readonly string[] {
  const [, extension] = /\.([^./]+)$/.exec(path) ?? [];
  return extension === undefined ? [] : [extension.toLowerCase()];
}
