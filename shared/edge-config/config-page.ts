import { type EdgeScope, isInScope } from '../edge/scope.ts';
import { inParallel } from '../ground/parallel.ts';
import { touching } from '../ground/touches.ts';
import {
  type ConfigChange,
  type Counters,
  changesAfter,
  changesAfterTouches,
  changesOf,
  changesOfTouches,
} from '../property/config-change-table.ts';
import { getClaimedOf, getClaimedOfTouches } from '../property/property-table.ts';
import { allRules, allRulesTouches } from '../rule/rule-table.ts';
import { compile } from './compile.ts';
import { type Cursor, dayOf, isCovered } from './cursor.ts';
import type { ConfigDocument } from './document.ts';
import { cacheDocument, cachedDocument } from './document-cache.ts';

/** A property as an edge in whose scope it is should have it; null once it is deleted. */
export interface ChangedConfig {
  readonly propertyId: string;
  readonly version: number;
  readonly document: ConfigDocument | null;
}

interface ConfigPage {
  readonly changes: readonly ChangedConfig[];
  /** From which the next page begins. */
  readonly cursor: Cursor;
  readonly isMore: boolean;
}

const mostChanges = 100;
const shardsAtOnce = 16;
const compiledAtOnce = 25;
/** Of all documents of a page. The largest one is below it: 100 rules of 8 KB, which escapes make three times as long. */
const mostBytes = 4_000_000;

export const readPageTouches = touching(
  changesAfterTouches,
  changesOfTouches,
  getClaimedOfTouches,
  allRulesTouches,
);

/** Changes of one shard that the page may carry. */
interface Stretch {
  readonly shard: number;
  readonly changes: readonly ConfigChange[];
  /** Where the shard is done with when its changes are. */
  readonly end: number;
}

/**
 * What has changed in the scope since the cursor.
 * @param counters as they were read before: what is written meanwhile comes again with the next page
 */
export async function readPage(
  scope: EdgeScope,
  cursor: Cursor,
  counters: Counters,
  now: Date,
): Promise<ConfigPage> {
  const { sequences } = counters;
  const stretches = await inParallel(shardsAhead(cursor, sequences), shardsAtOnce, (shard) =>
    readStretch(scope, cursor, counters, shard),
  );
  const found = stretches.flatMap(({ changes }) => changes);
  const { changes, passed, isStale } = await compileAll(found.slice(0, mostChanges));
  const positions = nextPositions(cursor, stretches, passed);
  const isMore = isStale || passed < found.length || !isCovered(sequences, positions);
  const day = isMore ? cursor.day : dayOf(now);
  return { changes, cursor: { ...cursor, positions, day, isWhole: cursor.isWhole && isMore }, isMore };
}

/** So many of the shards with something new as are needed to fill a page: a shard has no more properties than changes. */
function shardsAhead({ positions }: Cursor, sequences: readonly number[]): readonly number[] {
  let rest = mostChanges;
  return sequences.flatMap((sequence, shard) => {
    const ahead = sequence - (positions[shard] ?? 0);
    if (ahead <= 0 || rest <= 0) return [];
    rest -= ahead;
    return [shard];
  });
}

async function readStretch(
  scope: EdgeScope,
  { positions, isWhole }: Cursor,
  { sequences, unsettled }: Counters,
  shard: number,
): Promise<Stretch> {
  const [position = 0, counted = 0] = [positions[shard], sequences[shard]];
  const read = await changesAfter(shard, position);
  const newest = read.at(-1)?.sequence ?? position;
  // Who begins with a shard has nothing of it yet that could have been deleted.
  const isFirst = isWhole && position === 0;
  const changes = read.filter(
    ({ id, accountId, isDeleted }) =>
      isInScope(scope, { accountId, propertyId: id }) && !(isFirst && isDeleted),
  );
  return { shard, changes, end: unsettled.has(shard) ? Math.min(newest, counted) : counted };
}

/** What came of the first changes of a page, as many as fit. */
interface Compiled {
  readonly changes: readonly ChangedConfig[];
  /** How many changes the page is done with. */
  readonly passed: number;
  /** Whether one of them was overtaken by another one, which a later page carries. */
  readonly isStale: boolean;
}

async function compileAll(taken: readonly ConfigChange[]): Promise<Compiled> {
  const changes: ChangedConfig[] = [];
  let [passed, bytes, isFull] = [0, 0, false];
  while (passed < taken.length && !isFull) {
    for (const compiled of await compileSome(taken.slice(passed, passed + compiledAtOnce))) {
      const size = compiled ? bytesOf(compiled) : 0;
      isFull = bytes > 0 && bytes + size > mostBytes;
      if (isFull) break;
      passed += 1;
      bytes += size;
      if (compiled) changes.push(compiled);
    }
  }
  return { changes, passed, isStale: changes.length < passed };
}

/**
 * Documents of the versions that the changes say. One whose property was changed while it was read is undefined: that
 * change has a number above all that were read, and so comes with a later page.
 */
async function compileSome(some: readonly ConfigChange[]): Promise<readonly (ChangedConfig | undefined)[]> {
  const live = some.filter(({ isDeleted }) => !isDeleted);
  const cached = new Map(live.map(({ id, version }) => [id, cachedDocument(id, version)]));
  const compiled = await compileAnew(live.filter(({ id }) => !cached.get(id)));
  return some.map(({ id, version, isDeleted }) => {
    const document = isDeleted ? null : (cached.get(id) ?? compiled.get(id));
    return document === undefined ? undefined : { propertyId: id, version, document };
  });
}

/** Of those that have still the version which they had before they were read. */
async function compileAnew(changes: readonly ConfigChange[]): Promise<ReadonlyMap<string, ConfigDocument>> {
  if (changes.length === 0) return new Map();
  const ids = changes.map(({ id }) => id);
  const [properties, rules] = await Promise.all([
    getClaimedOf(changes.map(({ id, accountId }) => ({ accountId, propertyId: id }))),
    inParallel(ids, compiledAtOnce, async (id) => [id, await allRules(id)] as const).then(
      (read) => new Map(read),
    ),
  ]);
  const after = await changesOf(ids);
  const documents = changes.flatMap(({ id, accountId, version }) => {
    const found = properties.get(id);
    if (!found || after.get(id)?.version !== version) return [];
    const { property, claimedAt } = found;
    return [compile(property, rules.get(id) ?? [], { accountId, version, claimedAt })];
  });
  for (const document of documents) cacheDocument(document);
  return new Map(documents.map((document) => [document.propertyId, document]));
}

/** As Lambda counts it: the body is a text within the function's response. */
function bytesOf(change: ChangedConfig): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(change)));
}

/** Never past what was counted before: what was written since may have been read without what came just before it. */
function nextPositions(
  { positions }: Cursor,
  stretches: readonly Stretch[],
  passed: number,
): readonly number[] {
  const next = [...positions];
  let rest = passed;
  for (const { shard, changes, end } of stretches) {
    const done = Math.min(rest, changes.length);
    rest -= done;
    if (done === changes.length) next[shard] = end;
    else if (done > 0) next[shard] = Math.min(changes[done - 1]?.sequence ?? 0, end);
  }
  return next;
}
