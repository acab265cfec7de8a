import { describe, expect, test } from 'vitest';
import { useBench } from './support/bench.ts';
import { describeNode, roomyNode } from './support/node-kit.ts';
import type { Wish } from './support/test-origin.ts';

const hostname = 'limits.example';
const longestHostname = `${`${'l'.repeat(60)}.`.repeat(4)}example`;

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, number) => number);
}

describeNode('Varnish', () => {
  const bench = useBench(roomyNode);

  describe('How many tags Varnish takes', () => {
    const isStored = async (target: string, wish: Wish, host = hostname): Promise<boolean> => {
      const ask = { hostname: host, target, wish };
      expect((await bench().client.ask(ask)).status).toBe(200);
      return bench().client.isHit(ask);
    };

    test.each([
      { count: 500, prefix: 'tag-', host: hostname },
      { count: 1_000, prefix: 'tag-', host: hostname },
      { count: 1_000, prefix: 'a-longer-tag', host: longestHostname },
    ])('$count tags $prefix on $host: each of them purges', async ({ count, prefix, host }) => {
      for (const number of [0, count - 1]) {
        expect(await isStored('/', { tags: { prefix, count } }, host)).toBe(true);
        const purge = { type: 'tag', soft: false, hostnames: [host], values: [prefix + number] } as const;
        expect(await bench().purge(purge)).toEqual({ removed: 1 });
      }
    });

    test('what no purge could name for lack of room is served, and not stored', async () => {
      expect(await isStored('/many', { tags: { prefix: '', count: 1_001 } })).toBe(false);
      expect(await isStored('/long', { tags: { prefix: 'x'.repeat(160), count: 102 } })).toBe(false);
    });

    test('a response whose header is beyond all limits is an error, and not stored', async () => {
      const ask = { hostname, target: '/beyond', wish: { tags: { prefix: 'x'.repeat(400), count: 100 } } };
      expect((await bench().client.ask(ask)).status).toBe(502);
      expect(await bench().client.isHit(ask)).toBe(false);
    });

    test('tags in several headers, with commas, tabs and spaces', async () => {
      const wish: Wish = { headers: { 'surrogate-key': [' a,b', 'c\td ,, e', ''] } };
      for (const tag of ['a', 'b', 'c', 'd', 'e']) {
        await isStored('/several', wish);
        const purge = { type: 'tag', soft: false, hostnames: [hostname], values: [tag] } as const;
        expect([tag, await bench().purge(purge)]).toEqual([tag, { removed: 1 }]);
      }
    });
  });

  describe('How large a URL and a purge Varnish takes', () => {
    const isStored = async (target: string): Promise<boolean> => {
      expect((await bench().client.ask({ hostname, target })).status).toBe(200);
      return bench().client.isHit({ hostname, target });
    };

    test('24 directories deep: every directory purges; deeper is passed', async () => {
      const directory = (depth: number) =>
        `/${numbers(depth - 1)
          .map((number) => `${number}/`)
          .join('')}`;
      for (const depth of numbers(24)) {
        expect(await isStored(`${directory(24)}page?x=1`)).toBe(true);
        const purge = {
          type: 'prefix',
          soft: false,
          hostnames: [hostname],
          values: [directory(depth + 1)],
        } as const;
        expect(await bench().purge(purge)).toEqual({ removed: 1 });
      }
      expect([await isStored(directory(24)), await isStored(directory(25))]).toEqual([true, false]);
    });

    test('a URL of thousands of parameters, and one of thousands of escapes', async () => {
      expect(await isStored(`/?${'&'.repeat(6_000)}`)).toBe(true);
      expect(await isStored(`/${'%c3'.repeat(2_000)}`)).toBe(true);
    });

    test('1,000 URLs in one purge', async () => {
      const values = numbers(1_000).map((number) => `/of-many/${number}`);
      await Promise.all(values.map((target) => bench().client.ask({ hostname, target })));
      const purge = { type: 'url', soft: false, hostnames: [hostname], values } as const;
      expect(await bench().purge(purge)).toEqual({ removed: 1_000 });
    });
  });
});
