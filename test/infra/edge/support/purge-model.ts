import { isDeepStrictEqual } from 'node:util';
import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import { canonicalTarget, canonicalUrl } from '../../../../shared/property/canonical-url.ts';
import { type QueryMode, type Shared, sharedAs } from './query-modes.ts';

/** A page of a tenant, as purges know it. */
export interface Page {
  readonly hostname: string;
  /** In any spelling. */
  readonly target: string;
  readonly tags: readonly string[];
}

function pathOf(target: string): string {
  return target.split('?')[0] ?? '';
}

function isUnder(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}

type IsNamed = (value: string, target: string) => boolean;

function isNamedByUrl({ hostnames, values }: EdgePurge, page: Page, isNamed: IsNamed): boolean {
  return values.some((value) => {
    const url = canonicalUrl(value);
    const hosts = url?.hostname === undefined ? hostnames : [url.hostname];
    return hosts.includes(page.hostname) && isNamed(url?.target ?? '', canonicalTarget(page.target));
  });
}

/** What a purge means, told without the keys that carry it out. */
export function isPurged(purge: EdgePurge, page: Page): boolean {
  const isOfProperty = purge.hostnames.includes(page.hostname);
  switch (purge.type) {
    case 'all':
      return isOfProperty;
    case 'hostname':
      return purge.values.includes(page.hostname);
    case 'tag':
      return isOfProperty && purge.values.some((tag) => page.tags.includes(tag));
    case 'url':
      return isNamedByUrl(purge, page, (value, target) => value === target);
    case 'prefix':
      return isNamedByUrl(purge, page, (value, target) => isUnder(value, pathOf(target)));
  }
}

/** Whether some visitor of a URL that is purged is served the same response. */
export function isPurgedWithOthers(
  purge: EdgePurge,
  page: Page,
  shared: Shared | undefined,
  mode: QueryMode,
): boolean {
  const isServedTo = (target: string, variant: string): boolean =>
    isDeepStrictEqual(sharedAs(mode, { target, headers: { 'x-variant': variant } }), shared);
  return (
    purge.type === 'url' &&
    isNamedByUrl(purge, page, (value) => ['', 'a', 'b'].some((variant) => isServedTo(value, variant)))
  );
}

/** Whether it is one of the responses of a path that share queries, and a purge names a URL of that path. */
export function mayBePurged(purge: EdgePurge, page: Page, shared: Shared | undefined): boolean {
  return (
    purge.type === 'url' &&
    shared?.isReduced === true &&
    isNamedByUrl(purge, page, (value, target) => pathOf(value) === pathOf(target))
  );
}
