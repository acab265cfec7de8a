import { createHash } from 'node:crypto';
import { getItems } from '../aws/batch.ts';
import { absent, compare } from '../aws/expression.ts';
import { untilWritten } from '../aws/optimistic-retry.ts';
import { queryAll } from '../aws/query.ts';
import { getItem, table } from '../aws/table.ts';
import { type Refused, type Step, transact, updateStep } from '../aws/transaction.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import { queueConfigNotification, queueConfigNotificationTouches } from './config-notification-queue.ts';
import type { PropertyOwner } from './property-owner.ts';

/** The last change of a property or its rules, as edges get to know of it. */
export interface ConfigChange {
  readonly shard: string;
  /** Of the property. */
  readonly id: string;
  readonly accountId: string;
  /** Counts the changes of the property and its rules. */
  readonly version: number;
  /** Of all changes in the shard, in the order in which they were written, the number of this. */
  readonly sequence: number;
  readonly isDeleted?: true;
  readonly expiresAt?: number;
}

/** How many changes a shard has seen. */
interface Counter {
  readonly shard: 'counters';
  /** The shard. */
  readonly id: string;
  readonly sequence: number;
  /** When it was written last: milliseconds of Unix time. */
  readonly writtenAt: number;
}

/** How many changes each shard has seen. */
export interface Counters {
  readonly sequences: readonly number[];
  /** Shards whose last change may not be in their rows yet: a query may see one item of a transaction before another. */
  readonly unsettled: ReadonlySet<number>;
}

/** So many that writers of different properties rarely meet, and so few that one read has the counters of all. */
export const shardCount = 64;

/** Far longer than a transaction takes, clocks that differ included. */
const settlingMilliseconds = 10_000;

/** Longer than the oldest cursor that is taken, so that none misses a deletion. */
const deletedDays = 31;

const changes = table<'configChanges', ConfigChange>('configChanges');
const counters = table<'configChanges', Counter>('configChanges');

export const writeChangeTouches = touching(queueConfigNotificationTouches, {
  tables: { configChanges: ['GetItem', 'UpdateItem'] },
});

/**
 * Writes the steps of a change of a property or its rules, and in the same transaction what tells edges of it; then has
 * the edges notified.
 * @returns undefined when written, else which of the steps were refused
 */
export async function writeChange(
  owner: PropertyOwner,
  steps: readonly Step[],
  kind: 'changed' | 'deleted' = 'changed',
): Promise<Refused | undefined> {
  const refused = await raiseChange(owner, steps, kind);
  if (!refused) await queueConfigNotification(owner);
  return refused;
}

/** The same where nobody needs to be notified. */
export async function raiseChange(
  owner: PropertyOwner,
  steps: readonly Step[],
  kind: 'changed' | 'deleted' = 'changed',
): Promise<Refused | undefined> {
  const { refused } = await untilWritten(() => tryChange(owner, steps, kind));
  return refused;
}

export const readCountersTouches = { tables: { configChanges: ['Query'] } } as const satisfies Touches;

/** One read unit. */
export async function readCounters(): Promise<Counters> {
  const settledUntil = Date.now() - settlingMilliseconds;
  const found = await queryAll(counters, { partition: 'counters' });
  const byShard = new Map(found.map((counter) => [counter.id, counter]));
  const shards = Array.from({ length: shardCount }, (_, shard) => shard);
  return {
    sequences: shards.map((shard) => byShard.get(shardName(shard))?.sequence ?? 0),
    unsettled: new Set(
      shards.filter((shard) => (byShard.get(shardName(shard))?.writtenAt ?? 0) > settledUntil),
    ),
  };
}

export const changesAfterTouches = readCountersTouches;

/** The last changes of a shard's properties that came after one of them, in their order. */
export async function changesAfter(shard: number, sequence: number): Promise<readonly ConfigChange[]> {
  const where = compare<'sequence'>('sequence', '>', sequence);
  const found = await queryAll(changes, { partition: shardName(shard), where });
  return found.sort((one, other) => one.sequence - other.sequence);
}

export const changesOfTouches = { tables: { configChanges: ['BatchGetItem'] } } as const satisfies Touches;

/** The last changes of properties, by their ids; those of which nothing was written are left out. */
export async function changesOf(propertyIds: readonly string[]): Promise<ReadonlyMap<string, ConfigChange>> {
  const found = await getItems(changes, propertyIds.map(keyOf));
  return new Map(found.map((change) => [change.id, change]));
}

/** @returns undefined where another change of the shard came first */
async function tryChange(
  owner: PropertyOwner,
  steps: readonly Step[],
  kind: 'changed' | 'deleted',
): Promise<{ readonly refused: Refused | undefined } | undefined> {
  const { shard } = keyOf(owner.propertyId);
  const { sequence = 0 } = (await getItem(counters, { shard: 'counters', id: shard })) ?? {};
  const refused = await transact([
    ...steps,
    changeStep(owner, sequence + 1, kind),
    countStep(shard, sequence),
  ]);
  const isOvertaken = refused?.failedConditions.every((index) => index > steps.length);
  return isOvertaken ? undefined : { refused };
}

function changeStep({ accountId, propertyId }: PropertyOwner, sequence: number, kind: string): Step {
  const expiresAt = Math.floor(Date.now() / 1000) + deletedDays * 86_400;
  const deleted = kind === 'deleted' && { isDeleted: true as const, expiresAt };
  return updateStep(changes, keyOf(propertyId), {
    set: { accountId, sequence, ...deleted },
    add: { version: 1 },
  });
}

function countStep(shard: string, sequence: number): Step {
  const isStill =
    sequence === 0 ? absent<'sequence'>('sequence') : compare<'sequence'>('sequence', '=', sequence);
  const key = { shard: 'counters', id: shard } as const;
  const set = { sequence: sequence + 1, writtenAt: Date.now() };
  return updateStep(counters, key, { set }, isStill);
}

/** Which shard has the changes of a property. */
export function shardOf(propertyId: string): string {
  const [byte = 0] = createHash('sha256').update(propertyId).digest();
  return shardName(byte % shardCount);
}

function keyOf(propertyId: string): Pick<ConfigChange, 'shard' | 'id'> {
  return { shard: shardOf(propertyId), id: propertyId };
}

function shardName(index: number): string {
  return String(index).padStart(2, '0');
}
