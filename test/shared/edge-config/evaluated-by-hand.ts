import type { Property } from '../../../shared/property/property.ts';
import type { Condition } from '../../../shared/rule/condition.ts';
import type { Evaluation } from '../../../shared/rule/evaluate.ts';
import type { Outcome } from '../../../shared/rule/outcome.ts';
import type { Rule } from '../../../shared/rule/rule.ts';

/** A request as a visitor's address bar has it. */
export interface WrittenRequest {
  readonly scheme: string;
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly query: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

type Treatment = { -readonly [Field in keyof Outcome]: Outcome[Field] };

/** What rules make of a request, read as their descriptions read: one rule, one value, one action after the other. */
export function evaluatedByHand(
  rules: readonly Rule[],
  cache: Property['cache'],
  request: WrittenRequest,
): Evaluation {
  const treatment = untreated(cache, request);
  const matched: Evaluation['matched'] = [];
  const inOrder = [...rules].sort((a, b) => a.priority - b.priority || a.id.localeCompare(b.id));
  for (const { id, name, enabled, match, conditions, actions, stop } of inOrder) {
    const held = conditions.filter((condition) => holds(condition, request)).length;
    const matches = match === 'all' || conditions.length === 0 ? held === conditions.length : held > 0;
    if (!enabled || !matches) continue;
    matched.push({ id, name });
    for (const action of actions) act(treatment, action);
    if (stop || treatment.block || treatment.redirect) break;
  }
  if (treatment.block || treatment.redirect || treatment.bypass)
    Object.assign(treatment, { cacheTtlSeconds: null, cacheTtlOverridesOrigin: false });
  if (treatment.redirect) treatment.path = null;
  return { matched, treatment };
}

function untreated(
  { ttlSeconds, browserTtlSeconds, queryString }: Property['cache'],
  request: WrittenRequest,
) {
  const { mode, names } = queryString;
  const sent = [...new Set(queryOf(request).map(([name]) => name))];
  const listed = mode === 'deny' ? names : sent.filter((name) => !names.includes(name)).sort();
  const named = listed.length > 0 ? [...listed] : false;
  const treatment: Treatment = {
    cacheTtlSeconds: ttlSeconds,
    browserTtlSeconds,
    ...{ bypass: false, block: false, forceHttps: false, redirect: null, path: null },
    ignoreQueryString: { include: false, ignore: true, deny: named, allow: named }[mode],
    ...{ requestHeaders: {}, responseHeaders: {}, cacheTtlOverridesOrigin: false },
  };
  return treatment;
}

function act(now: Treatment, action: Rule['actions'][number]): void {
  switch (action.type) {
    case 'cacheTtl':
      now.cacheTtlSeconds = action.seconds;
      now.cacheTtlOverridesOrigin = true;
      now.bypass = false;
      return;
    case 'bypassCache':
      now.bypass = true;
      return;
    case 'browserTtl':
      now.browserTtlSeconds = action.seconds;
      return;
    case 'forceHttps':
    case 'block':
      now[action.type] = true;
      return;
    case 'ignoreQueryString':
      now.ignoreQueryString = action.names ?? true;
      return;
    case 'redirect':
      now.redirect = { location: action.location, status: action.status };
      return;
    case 'rewritePath':
      now.path = action.path;
      return;
    case 'setRequestHeader':
    case 'removeRequestHeader':
      change(now.requestHeaders, action.name, 'value' in action ? action.value : null);
      return;
    case 'setResponseHeader':
    case 'removeResponseHeader':
      change(now.responseHeaders, action.name, 'value' in action ? action.value : null);
  }
}

function change(headers: Record<string, string | null>, name: string, to: string | null): void {
  for (const known of Object.keys(headers))
    if (known.toLowerCase() === name.toLowerCase()) delete headers[known];
  headers[name] = to;
}

function holds(condition: Condition, request: WrittenRequest): boolean {
  const texts = textsOf(condition, request);
  const isHeld =
    condition.operator === 'exists'
      ? texts.length > 0
      : condition.values.some((value) => texts.some((text) => compares(condition, text, value)));
  return condition.negate ? !isHeld : isHeld;
}

function textsOf(condition: Condition, request: WrittenRequest): readonly string[] {
  const { field } = condition;
  const host = request.host.toLowerCase().replace(/:\d+$/, '');
  const headers = [
    ...request.headers.filter(([name]) => name.toLowerCase() !== 'host'),
    ['Host', host] as const,
  ];
  const file = browserPath(request.path).split('/').at(-1) ?? '';
  const extension = file.split('.').at(-1) ?? '';
  switch (field) {
    case 'path':
      return [browserPath(request.path)];
    case 'host':
      return [host];
    case 'scheme':
    case 'method':
      return [request[field]];
    case 'extension':
      return file.includes('.') && extension !== '' ? [extension] : [];
    case 'query':
      return queryOf(request).flatMap(([name, value]) => (name === condition.name ? [value] : []));
    case 'header':
      return headers.flatMap(([name, value]) =>
        name.toLowerCase() === condition.name.toLowerCase() ? [value] : [],
      );
    case 'cookie':
      return headers
        .filter(([name]) => name.toLowerCase() === 'cookie')
        .flatMap(([, line]) => line.split(';'))
        .map((part) => /^\s*([^=]*?)\s*(?:=\s*(.*?)\s*)?$/.exec(part) ?? [])
        .flatMap(([, name, value = '']) => (name === condition.name ? [value] : []));
  }
}

function compares(
  condition: Exclude<Condition, { operator: 'exists' }>,
  text: string,
  value: string,
): boolean {
  switch (condition.field) {
    case 'path':
      return !isSlashes(value) && matches(condition.operator, text, browserPath(value));
    case 'extension':
      return matches(
        condition.operator,
        text.toLowerCase(),
        browserPath(value).toLowerCase().replace(/^\./, ''),
      );
    case 'host':
    case 'scheme':
    case 'method':
      return matches(condition.operator, text.toLowerCase(), value.toLowerCase());
    default:
      return matches(condition.operator, text, value);
  }
}

function matches(operator: string, text: string, value: string): boolean {
  switch (operator) {
    case 'equals':
      return text === value;
    case 'prefix':
      return text.slice(0, value.length) === value;
    case 'suffix':
      return value.length <= text.length && text.slice(text.length - value.length) === value;
    case 'contains':
      return text.includes(value);
    default:
      return matchesWildcard([...text], [...value]);
  }
}

function matchesWildcard([character, ...text]: string[], [symbol, ...pattern]: string[]): boolean {
  const all = character === undefined ? [] : [character, ...text];
  if (symbol === undefined) return all.length === 0;
  if (symbol === '*')
    return matchesWildcard(all, pattern) || (all.length > 0 && matchesWildcard(text, [symbol, ...pattern]));
  return all.length > 0 && (symbol === '?' || symbol === character) && matchesWildcard(text, pattern);
}

/** No path has two slashes in a row. */
function isSlashes(value: string): boolean {
  return value.includes('//') && [...value].every((symbol) => '/*?'.includes(symbol));
}

const kept = /[A-Za-z0-9\-._~!$&'()*+,;=:@/|[\]%?\\]/;
const unreserved = /[A-Za-z0-9\-._~]/;

/** A path, character after character: unreserved ones as they are, the rest as escapes, slashes merged. */
function browserPath(text: string): string {
  let path = '';
  for (let rest = text; rest !== ''; ) {
    const [hex, code = ''] = /^%([0-9a-f]{2})/i.exec(rest) ?? [];
    const [character = ''] = rest;
    const decoded = String.fromCharCode(Number.parseInt(code, 16));
    if (hex) path += unreserved.test(decoded) ? decoded : hex.toUpperCase();
    else if (kept.test(character)) path += character === '/' && path.endsWith('/') ? '' : character;
    else for (const byte of Buffer.from(character)) path += `%${byte.toString(16).toUpperCase()}`;
    rest = rest.slice((hex ?? character).length);
  }
  return path;
}

function queryOf({ query = '' }: WrittenRequest): readonly (readonly [name: string, value: string])[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      return [decodeURIComponent(name), decodeURIComponent(value.replaceAll('+', ' '))] as const;
    });
}
