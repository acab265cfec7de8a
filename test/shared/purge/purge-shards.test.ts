import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../../../shared/ground/id.ts';
import { take } from '../../../shared/ground/take.ts';
import { mergeDescending, shardedKey, shardsOf } from '../../../shared/purge/purge-shards.ts';

interface Item {
  readonly id: string;
}

async function* source(pages: readonly (readonly Item[])[]): AsyncGenerator<readonly Item[]> {
  yield* pages;
}

function newestFirst(ids: readonly string[]): readonly Item[] {
  return [...new Set(ids)].sort((one, other) => (one > other ? -1 : 1)).map((id) => ({ id }));
}

function inPages(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const pages = Array.from({ length: Math.ceil(items.length / size) }, (_, page) =>
    items.slice(page * size, (page + 1) * size),
  );
  return [[], ...pages, []];
}

test('what several shards hold comes in one order, each once, however it is spread and read', async () => {
  const ids = fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.nat(3)), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(ids, fc.integer({ min: 1, max: 7 }), fc.nat(80), async (placed, size, count) => {
      const shardOf = new Map(placed);
      const all = newestFirst([...shardOf.keys()]);
      const sources = [0, 1, 2, 3].map((shard) =>
        source(
          inPages(
            all.filter(({ id }) => shardOf.get(id) === shard),
            size,
          ),
        ),
      );
      expect(await take(mergeDescending(sources), { after: 2, count })).toEqual(all.slice(2, 2 + count));
    }),
  );
});

test('purges spread evenly over the shards of their property, and each is in one of them', () => {
  const shards = Array.from({ length: 4_000 }, () => shardedKey({ propertyId: 'p', id: newId() }).shard);
  const counts = shardsOf('p').map((shard) => shards.filter((each) => each === shard).length);
  expect(counts.reduce((sum, count) => sum + count)).toBe(4_000);
  expect(Math.min(...counts)).toBeGreaterThan(700);
  expect(Math.max(...counts)).toBeLessThan(1_400);
});
