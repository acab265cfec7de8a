import type { PurgeKey } from './purge.ts';

/**
 * The purges of a property are kept in so many partitions, because one takes 1,000 writes a second and never splits
 * where the keys are in the order of time.
 */
const shardCount = 4;

/** By what a purge is stored. */
export interface ShardedKey {
  readonly shard: string;
  readonly id: string;
}

export function shardedKey({ propertyId, id }: PurgeKey): ShardedKey {
  return { shard: nameOf(propertyId, id.charCodeAt(id.length - 1) % shardCount), id };
}

export function shardsOf(propertyId: string): readonly string[] {
  return Array.from({ length: shardCount }, (_, number) => nameOf(propertyId, number));
}

/** Everything that the sources have, each in descending order of id, in one such order; read as far as it is asked for. */
export async function* mergeDescending<Item extends { readonly id: string }>(
  sources: readonly AsyncGenerator<readonly Item[]>[],
): AsyncGenerator<Item> {
  const heads = await Promise.all(sources.map((source) => advanced({ read: [], next: 0, source })));
  for (;;) {
    const newest = heads.reduce((one, other) => (idOf(other) > idOf(one) ? other : one));
    const item = newest.read[newest.next];
    if (item === undefined) return;
    yield item;
    heads[heads.indexOf(newest)] = await advanced({ ...newest, next: newest.next + 1 });
  }
}

/** How far a source is read, and given on. */
interface Head<Item> {
  readonly read: readonly Item[];
  readonly next: number;
  readonly source: AsyncGenerator<readonly Item[]>;
}

/** Reads on where all that was read is given on. */
async function advanced<Item>(head: Head<Item>): Promise<Head<Item>> {
  let { read, next } = head;
  while (next >= read.length) {
    const { value, done } = await head.source.next();
    if (done) break;
    [read, next] = [value, 0];
  }
  return { read, next, source: head.source };
}

function idOf<Item extends { readonly id: string }>({ read, next }: Head<Item>): string {
  return read[next]?.id ?? '';
}

function nameOf(propertyId: string, number: number): string {
  return `${propertyId}#${number}`;
}
