import type { Condition } from './condition.ts';
import type { TestedRequest } from './test-request.ts';
import { type TextSearch, textSearch } from './text-search.ts';

const unescaped = /[^\x21-\x7e]|["#<>^`{}]/gu;
const escaped = /%[0-9a-f]{2}/gi;

/** The form in which a value meets what the request holds. */
const comparable: Readonly<Record<Condition['field'], (value: string) => string>> = {
  path: escapedPath,
  host: lowerCase,
  scheme: lowerCase,
  method: lowerCase,
  extension: (value) => value.toLowerCase().replace(/^\./, ''),
  query: asItIs,
  header: asItIs,
  cookie: asItIs,
};

type Compare = (text: string, value: string) => boolean;
type Comparison = Exclude<Condition['operator'], 'exists'>;

/** Tells whether conditions hold for one request. */
export function conditionTest(request: TestedRequest): (condition: Condition) => boolean {
  const compare = comparisons();
  const holds = (condition: Condition): boolean => {
    const texts = textsOf(condition, request);
    if (condition.operator === 'exists') return texts.length > 0;
    const matches = compare[condition.operator];
    const values = condition.values.map(comparable[condition.field]);
    return texts.some((text) => values.some((value) => matches(text, value)));
  };
  return (condition) => holds(condition) !== (condition.negate ?? false);
}

/** A path as browsers send it, so that `/über` in a rule finds the request for `/%C3%BCber`. */
function escapedPath(text: string): string {
  return text.replace(unescaped, encodeURIComponent).replace(escaped, (hex) => hex.toUpperCase());
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

function asItIs(text: string): string {
  return text;
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
function textsOf(condition: Condition, request: TestedRequest): readonly string[] {
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
      return (request.headers.get(condition.name.toLowerCase()) ?? []).map(([, value]) => value);
    case 'cookie':
      return (request.cookies.get(condition.name) ?? []).map(([, value]) => value);
  }
}

function extensionOf(path: string): readonly string[] {
  const [, extension] = /\.([^./]+)$/.exec(path) ?? [];
  return extension === undefined ? [] : [extension.toLowerCase()];
}
