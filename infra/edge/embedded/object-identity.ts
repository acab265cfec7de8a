import { objectKeys, reducedKey } from '../../../shared/edge/cache-keys.ts';
import type { Visit } from './visit.ts';

/** Under what a response is stored, and by what a purge finds it. */
export interface ObjectIdentity {
  readonly url: string;
  /** @param tags that the origin gave it */
  keysWith(tags: readonly string[]): readonly string[];
}

/** Two requests share a response where this is the same for both. */
export function identityOf({ document, hostname, treatment, canonical }: Visit): ObjectIdentity {
  const { queryString } = document.cache;
  // In the mode `allow` a query may hold nothing to leave out, and still shares its response with others.
  const isReduced = treatment.ignoreQueryString !== false || queryString.mode === 'allow';
  const target = reducedTarget(canonical, treatment.ignoreQueryString);
  const headers = Object.entries(treatment.requestHeaders).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  const parts = [document.propertyId, hostname, target, isReduced, treatment.path, headers.sort()];
  const [path = ''] = canonical.split('?', 1);
  return {
    url: JSON.stringify(parts),
    keysWith: (tags) => [
      ...objectKeys(hostname, target, tags),
      ...(isReduced ? [reducedKey(hostname, path)] : []),
    ],
  };
}

function reducedTarget(canonical: string, ignored: boolean | readonly string[]): string {
  if (ignored === false) return canonical;
  const [path = '', ...rest] = canonical.split('?');
  if (ignored === true || rest.length === 0) return path;
  const kept = rest
    .join('?')
    .split('&')
    .filter((parameter) => !ignored.includes(nameOf(parameter)));
  return kept.length > 0 ? `${path}?${kept.join('&')}` : path;
}

/** As the rules read it. */
function nameOf(parameter: string): string {
  const [name = ''] = new URLSearchParams(`&${parameter}`).keys();
  return name;
}
