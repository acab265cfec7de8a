import { canonicalUrl } from '../property/canonical-url.ts';
import { EdgeFailure, type EdgePurge } from './driver.ts';

/** CloudFront's quotas for what is in progress on one distribution; the two are counted apart. */
const maximumExactPaths = 3_000;
const maximumWildcards = 15;
const maximumCharacters = 4_000;

/**
 * The beginning of a path that every viewer writes in the same way and that CloudFront compares as it stands.
 * It ends before the wildcard `*`, before `~`, which CloudFront supports in no spelling, before characters that
 * CloudFront wants escaped and viewers send bare, and before escapes, whose case is the viewer's choice: but
 * for those of space, # and %, which have digits only and no bare form.
 */
const plain = /^(?:[A-Za-z0-9/?\-._!$&'()+,;:=@]|%2[035])*/;

/** A cut may leave the first part of an escape. */
const halfEscape = /%\d?$/;

/**
 * What CloudFront is asked to invalidate: at least what the purge names, in every spelling of it that browsers
 * send, and more only where CloudFront cannot tell it apart. Paths hold no host name, so a purge of some host
 * names is one of the whole distribution, and a URL goes on every host name that the distribution serves.
 * @throws EdgeFailure `refused`
 */
export function invalidationPaths({ type, soft, values }: EdgePurge): readonly string[] {
  if (soft) throw new EdgeFailure('refused', 'CloudFront cannot mark content stale, only remove it');
  switch (type) {
    case 'all':
    case 'hostname':
      return ['/*'];
    case 'url':
      return fitting(values.map(targetOf).flatMap(urlPaths));
    case 'prefix':
      return fitting(values.map(targetOf).flatMap(prefixPaths));
    case 'tag':
      throw new EdgeFailure('refused', 'a CloudFront edge cannot be purged by tag');
  }
}

function fitting(paths: readonly string[]): readonly string[] {
  const isWide = (path: string): boolean => path.endsWith('*');
  const beginnings = paths.filter(isWide).map((path) => path.slice(0, -1));
  const wide = [...fewer(withoutCovered(beginnings))].sort();
  const exact = [...new Set(paths.filter((path) => !isWide(path)))]
    .filter((path) => !wide.some((beginning) => path.startsWith(beginning)))
    .sort();
  if (exact.length <= maximumExactPaths) return [...exact, ...wide.map((beginning) => `${beginning}*`)];
  return fitting([...paths, `${commonBeginning(exact[0] ?? '', exact.at(-1) ?? '')}*`]);
}

/** As many as CloudFront takes: what has most in common becomes one, so that little else is covered. */
function fewer(ordered: readonly string[]): readonly string[] {
  const shared = ordered.slice(1).map((beginning, index) => commonBeginning(ordered[index] ?? '', beginning));
  let kept = ordered;
  for (const common of [...new Set(shared)].sort((one, other) => other.length - one.length)) {
    if (kept.length <= maximumWildcards) break;
    kept = [...kept.filter((beginning) => !beginning.startsWith(common)), common];
  }
  return kept;
}

function commonBeginning(first: string, second: string): string {
  let length = 0;
  while (length < first.length && first[length] === second[length]) length += 1;
  return first.slice(0, length).replace(halfEscape, '');
}

/** In order, without those that another one covers. */
function withoutCovered(beginnings: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const beginning of [...beginnings].sort()) {
    const last = kept.at(-1);
    if (last === undefined || !beginning.startsWith(last)) kept.push(beginning);
  }
  return kept;
}

function targetOf(value: string): string {
  const target = canonicalUrl(value)?.target;
  if (target === undefined) throw new EdgeFailure('refused', 'the purge holds a value that is not canonical');
  return target;
}

/**
 * Viewers send parameters in any order, so several mean the path with any query. The path alone goes too,
 * because a distribution may leave parameters out of its cache key and keep the response there.
 */
function urlPaths(target: string): readonly string[] {
  const [path = '', query] = target.split(/\?(.*)/s);
  if (query === undefined) return [tellable(path)];
  return [tellable(path), tellable(query.includes('&') ? `${path}?*` : target)];
}

/** The text itself where CloudFront can tell it exactly, else the longest beginning of it, and a wildcard. */
function tellable(text: string): string {
  const [beginning = ''] = plain.exec(text) ?? [];
  if (beginning === text && text.length <= maximumCharacters) return text;
  return `${beginning.slice(0, maximumCharacters - 1).replace(halfEscape, '')}*`;
}

/** `/a` takes `/a` itself, with any query, and what lies in `/a/`; `/a/` only the latter. */
function prefixPaths(path: string): readonly string[] {
  return path.endsWith('/')
    ? [tellable(`${path}*`)]
    : [tellable(path), tellable(`${path}?*`), tellable(`${path}/*`)];
}
