import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { objectKeys } from '../../../shared/edge/cache-keys.ts';
import { canonicalTarget } from '../../../shared/property/canonical-url.ts';
import { eventually } from '../../support/eventually.ts';
import { useBench } from './support/bench.ts';
import { type GeneratedPage, generatedPage } from './support/generated-page.ts';
import { describeNode, type RunningNode, startNode } from './support/node-kit.ts';

const hostnames = ['www.keys.example', 'keys.example'];

/** Keys in one order, since theirs means nothing. */
function inOrder(keys: readonly string[]): string {
  return keys.toSorted().join(' ');
}

function keysOf({ hostname, target, tags }: GeneratedPage): string {
  return inOrder(objectKeys(hostname, canonicalTarget(target), tags));
}

describeNode('The keys of an object in Varnish', () => {
  let varnish: RunningNode;
  const bench = useBench({
    name: 'Varnish',
    async start(origin, secret) {
      varnish = await startNode({ backend: origin }, secret);
      return varnish;
    },
  });

  /** What the edge set and has removed from its responses, read from its log. */
  const loggedKeys = (): readonly string[] => {
    const args = ['-n', varnish.dir, '-d', '-g', 'raw', '-i', 'RespUnset'];
    const log = execFileSync('varnishlog', args, { encoding: 'utf8', maxBuffer: 100_000_000 });
    return [...log.matchAll(/RespUnset\s+c xkey: (.*)/g)].map(([, keys = '']) => inOrder(keys.split(' ')));
  };

  test('are exactly those of the purges, whatever the page is called', async () => {
    const pages = fc
      .sample(generatedPage(hostnames), { numRuns: 400, seed: 7 })
      .filter((page) => page.isPlain);
    for (const { hostname, target, tags } of pages) {
      const wish = { headers: { 'surrogate-key': tags.join(', '), xkey: 'of the origin' } };
      await bench().client.ask({ hostname, target, wish });
      await bench().purge({ type: 'all', soft: false, hostnames, values: [] });
    }
    const logged = await eventually(
      async () => loggedKeys(),
      ({ length }) => length >= pages.length,
    );
    expect(logged.toSorted()).toEqual(pages.map(keysOf).toSorted());
    expect(pages.length).toBeGreaterThan(200);
  });
});
