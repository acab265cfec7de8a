import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import { canonicalTarget, canonicalUrl } from '../../../../shared/property/canonical-url.ts';

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
