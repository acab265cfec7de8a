import fc from 'fast-check';
import type { Backend } from '../../../../shared/edge/backends.ts';
import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import { PurgeType } from '../../../../shared/ground/purge-type.ts';
import { canonicalTarget, canonicalUrl, formatUrl } from '../../../../shared/property/canonical-url.ts';
import { type GeneratedPage, generatedSiblings, type Siblings, tags } from './generated-page.ts';

/** Some pages of two tenants, and a purge of one of them. */
export interface GeneratedCase {
  readonly pages: readonly GeneratedPage[];
  readonly purge: EdgePurge;
}

function canonicalText(text: string): string {
  const url = canonicalUrl(text);
  if (!url) throw new Error(`not a URL: ${text}`);
  return formatUrl(url);
}

/** The first directories of a path, or the whole of it. */
function cutPath(target: string, depth: number): string {
  const [path = ''] = target.split('?');
  return (
    path
      .split('/')
      .slice(0, depth + 1)
      .join('/') || '/'
  );
}

interface Aim {
  readonly page: GeneratedPage;
  readonly depth: number;
  readonly isAbsolute: boolean;
  readonly tag: string;
}

function valuesOf(type: EdgePurge['type'], { page, depth, isAbsolute, tag }: Aim): readonly string[] {
  // Without the dot segment a path that begins with two slashes would be a URL.
  const base = isAbsolute ? `https://${page.hostname}` : '/.';
  switch (type) {
    case 'all':
      return [];
    case 'hostname':
      return [page.hostname];
    case 'tag':
      return [page.tags[0] ?? tag];
    case 'url':
      return [canonicalText(base + page.target)];
    case 'prefix':
      return [canonicalText(base + cutPath(page.target, depth))];
  }
}

const labels = ['www', 'a', 'xn--bcher-kva', '0', 'a-b'];

/** Its tenants are its own, so that many cases can be tried on one edge at once. */
function caseOf(
  number: number,
  { types, soft: hasSoft }: Backend,
  siblings: number,
): fc.Arbitrary<GeneratedCase> {
  const hostnames = [0, 1].map(
    (index) => `${labels[(number + index) % labels.length]}.case-${number}.example`,
  );
  const others = [`www.other-${number}.example`];
  return fc
    .record({
      family: generatedSiblings(hostnames, siblings),
      families: fc.array(generatedSiblings([...hostnames, ...others], siblings), {
        minLength: 1,
        maxLength: 2,
      }),
      aimed: fc.nat(siblings - 1),
      type: fc.constantFrom(...PurgeType.options.filter((type) => types[type])),
      soft: hasSoft ? fc.boolean() : fc.constant(false),
      depth: fc.nat(3),
      isAbsolute: fc.boolean(),
      tag: fc.constantFrom(...tags),
    })
    .map(({ family, families, aimed, type, soft, ...aim }) => {
      const values = valuesOf(type, { page: family[aimed] ?? family[0], ...aim });
      const pages = different([family, ...families], siblings > 1 ? pathOf : canonicalTarget);
      return { pages, purge: { type, soft, hostnames, values } };
    });
}

/** Without pages that an edge may take for one of another family, or for one of their own. */
function different(
  families: readonly Siblings[],
  sameness: (target: string) => string,
): readonly GeneratedPage[] {
  const apart = firstOf(families, ([{ hostname, target }]) => hostname + sameness(target));
  return firstOf(apart.flat(), ({ hostname, target }) => hostname + canonicalTarget(target));
}

function firstOf<Item>(items: readonly Item[], nameOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.toReversed().map((item) => [nameOf(item), item])).values()].toReversed();
}

function pathOf(target: string): string {
  return canonicalTarget(target).replace(/\?.*/, '');
}

/**
 * The same cases for the same seed on all backends that can do the same.
 * @param siblings pages of each path, which differ by their query
 */
export function generateCases(
  count: number,
  seed: number,
  backend: Backend,
  siblings = 1,
): readonly GeneratedCase[] {
  return Array.from({ length: count }, (_, number) =>
    fc.sample(caseOf(number, backend, siblings), { numRuns: 1, seed: seed + number }),
  ).flat();
}
