import type { PropertyOwner } from '../property/property-owner.ts';
import { granularities } from './granularity.ts';
import { type LogMetrics, type MinuteMetrics, requestsIn } from './metrics.ts';
import type { ParsedLog } from './parse-log.ts';

/** How a batch is counted; the same each time that it is sent. */
interface ChunkPlan {
  /** Each is counted in one transaction. */
  readonly chunks: readonly LogMetrics[];
  /** What the chunks are made of, kept where there is more than one; undefined for all hosts. */
  readonly hosts: string | undefined;
  /** Lines that are in no chunk, because their hosts were nobody's when the batch first came. */
  readonly dropped: number;
}

/**
 * Hosts of nobody take no room in the chunks, since anybody can ask an edge for thousands of them.
 * @param earlier the plan's hosts, where the batch came before
 */
export function planChunks(
  log: ParsedLog,
  owners: ReadonlyMap<string, PropertyOwner>,
  earlier: Pick<ChunkPlan, 'hosts'> | undefined,
): ChunkPlan {
  const hosts = earlier ? earlier.hosts : ownedHosts(owners);
  const chosen = only(log.hosts, hosts);
  const chunks = divide(chosen);
  const dropped = log.unnamed + linesIn(log.hosts) - linesIn(chosen);
  return { chunks, hosts: chunks.length > 1 ? hosts : undefined, dropped };
}

/** More would not fit into an item; then all hosts are divided, those of nobody too. */
const longestHosts = 200_000;

/** A transaction holds 100 items, of which one says that the chunk is counted. */
const maximumItems = 99;

const minutesOfHour = minutesIn(granularities.hour.milliseconds);
const minutesOfDay = minutesIn(granularities.day.milliseconds);

/** By spaces. */
function ownedHosts(owners: ReadonlyMap<string, PropertyOwner>): string | undefined {
  const hosts = [...owners.keys()].join(' ');
  return hosts.length <= longestHosts ? hosts : undefined;
}

function only(hosts: LogMetrics, chosen: string | undefined): LogMetrics {
  if (chosen === undefined) return hosts;
  const names = new Set(chosen.split(' '));
  return new Map([...hosts].filter(([hostname]) => names.has(hostname)));
}

function linesIn(hosts: LogMetrics): number {
  let lines = 0;
  for (const minutes of hosts.values()) for (const metrics of minutes.values()) lines += requestsIn(metrics);
  return lines;
}

/**
 * Divides a batch so that each chunk fits into one transaction, whosever the hosts are. It goes by hosts and times
 * alone: when a batch is sent again after a failure, its chunks are the same, and those that were counted are left
 * out.
 */
function divide(hosts: LogMetrics): readonly LogMetrics[] {
  let chunk = new Map<string, MinuteMetrics>();
  let room = maximumItems;
  const chunks = [chunk];
  for (const [hostname, minutes] of hosts) {
    let known = new Set<number>();
    for (const [minute, metrics] of [...minutes].sort(([a], [b]) => a - b)) {
      let cost = itemsFor(minute, known);
      if (cost > room) {
        chunk = new Map();
        chunks.push(chunk);
        known = new Set();
        cost = itemsFor(minute, known);
        room = maximumItems;
      }
      room -= cost;
      chunk.set(hostname, (chunk.get(hostname) ?? new Map()).set(minute, metrics));
    }
  }
  return chunks;
}

function minutesIn(width: number): number {
  return width / granularities.minute.milliseconds;
}

/** A minute is counted for the property and for the account, and so is a new hour; a new day in three items. */
function itemsFor(minute: number, known: Set<number>): number {
  const hour = Math.floor(minute / minutesOfHour);
  const day = Math.floor(minute / minutesOfDay);
  const items = 2 + (known.has(hour) ? 0 : 2) + (known.has(-day) ? 0 : 3);
  known.add(hour).add(-day);
  return items;
}
