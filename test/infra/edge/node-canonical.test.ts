import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalUrl, formatUrl } from '../../../shared/property/canonical-url.ts';
import { useBench } from './support/bench.ts';
import { contentOf, type EdgeResponse } from './support/edge-client.ts';
import { describeNode, roomyNode } from './support/node-kit.ts';
import { words } from './support/words.ts';

const printable = Array.from({ length: 0x7e - 0x20 }, (_, index) => String.fromCharCode(0x21 + index));
const special = words('/ / / ? & & = a b . .. %2e %2E %c3 %C3 %2F %26 %3d % a=1 a=%2f a=%2F ;');
const hexadecimal = fc.constantFrom(...'0123456789abcdefABCDEF');
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...special) },
  fc.constantFrom(...printable),
  fc.tuple(fc.constant('%'), hexadecimal, hexadecimal).map((characters) => characters.join('')),
);
const target = fc.array(piece, { maxLength: 14 }).map((pieces) => `/${pieces.join('')}`);

const hostname = 'canonical.example';

/** As the driver reads what the API accepted. */
function purgedAs(text: string): string {
  return formatUrl(canonicalUrl(`https://${hostname}${text}`) ?? { hostname, target: '' });
}

/** The API takes no URL that ends in `*`: its escape stands for both. */
function asAccepted(url: string): string {
  return url.replace(/\*$/, '%2A');
}

describeNode('Varnish', () => {
  const bench = useBench(roomyNode);

  describe('What Varnish takes for the same target', () => {
    const ask = (targets: readonly string[]) =>
      Promise.all(targets.map((text) => bench().client.ask({ hostname, target: text })));
    const isCurrent = (response: EdgeResponse): boolean => contentOf(response).epoch === bench().origin.epoch;

    test('any target is either refused, or purged by its canonical form where it is stored', async () => {
      const counts = { stored: 0, refused: 0 };
      const isHeld = async (all: readonly string[]): Promise<void> => {
        const targets = all.filter((text) => !roomyNode.refuses?.(text));
        await ask(targets);
        const responses = await ask(targets);
        const stored = targets.filter((_, index) => responses[index]?.isHit);
        counts.stored += stored.length;
        counts.refused += all.length - targets.length;
        bench().origin.epoch += 1;
        const objects = [...new Set(stored.map(purgedAs))];
        const values = [...new Set(objects.map(asAccepted))];
        const purge = { type: 'url', soft: false, hostnames: [hostname], values } as const;
        expect(await bench().purge(purge)).toEqual({ removed: objects.length });
        const areCurrent = (await ask(targets)).map(isCurrent);
        expect(targets.filter((_, index) => !areCurrent[index])).toEqual([]);
        await bench().purge(purge);
      };
      await fc.assert(fc.asyncProperty(fc.array(target, { minLength: 40, maxLength: 60 }), isHeld), {
        numRuns: 140,
        examples: [[words('/* /%2a /')]],
      });
      expect(counts.stored).toBeGreaterThan(1_000);
      expect(counts.refused).toBeGreaterThan(1_000);
    });
  });

  describe('Whom and what Varnish takes for the same', () => {
    test.each([
      ['lower-case escapes', '/%c3%a9?%c3=1&%C3=2', '/%C3%A9?%C3=1&%C3=2'],
      ['parameters', '/?b=2&a=10&a=1&a&&a!', '/?&a&a!&a=1&a=10&b=2'],
      ['an empty query', '/a?', '/a'],
    ])(
      '%s are one for the cache, and reach the origin as a browser spells them',
      async (_, text, canonical) => {
        const { pathname, search } = new URL(`http://${hostname}${text}`);
        const { target: asked } = contentOf(await bench().client.ask({ hostname, target: text }));
        expect(asked).toBe(pathname + search);
        expect(await bench().client.isHit({ hostname, target: canonical })).toBe(true);
      },
    );

    test('a request whose host is no name of a property is passed', async () => {
      const hosts = [
        'localhost',
        '127.0.0.1',
        '[::1]:80',
        'a_b.example',
        '-a.example',
        'a..example',
        `${'a'.repeat(64)}.example`,
      ];
      for (const host of hosts) {
        await bench().client.ask({ hostname: host, target: '/' });
        expect([host, await bench().client.isHit({ hostname: host, target: '/' })]).toEqual([host, false]);
      }
    });

    test.each(['Canonical.Example', 'canonical.example.', 'CANONICAL.example.:81'])(
      '%s is the same tenant',
      async (host) => {
        await bench().client.ask({ hostname, target: '/tenant' });
        expect(await bench().client.isHit({ hostname: host, target: '/tenant' })).toBe(true);
      },
    );
  });
});
