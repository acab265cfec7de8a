import { granularities } from './granularity.ts';
import type { MinuteCounts } from './log-line.ts';

/** A share of a batch that is counted in one transaction. */
export type LogPart = ReadonlyMap<string, MinuteCounts>;

/** A transaction holds 100 items, of which one says that the part is counted. */
const maximumCounters = 99;

const minutesOfHour = minutesIn(granularities.hour.milliseconds);
const minutesOfDay = minutesIn(granularities.day.milliseconds);

/**
 * Divides a batch so that each part fits into one transaction, whosever the hosts are. It goes by hosts and times
 * alone: when a batch is sent again after a failure, its parts are the same, and those that were counted are left out.
 */
export function divideLog(hosts: LogPart): readonly LogPart[] {
  let part = new Map<string, MinuteCounts>();
  let room = maximumCounters;
  const parts = [part];
  for (const [hostname, minutes] of hosts) {
    let known = new Set<number>();
    for (const minute of [...minutes.keys()].sort((a, b) => a - b)) {
      let cost = costOf(minute, known);
      if (cost > room) {
        part = new Map();
        parts.push(part);
        known = new Set();
        cost = costOf(minute, known);
        room = maximumCounters;
      }
      room -= cost;
      const counts = minutes.get(minute);
      if (counts) part.set(hostname, (part.get(hostname) ?? new Map()).set(minute, counts));
    }
  }
  return parts;
}

function minutesIn(width: number): number {
  return width / granularities.minute.milliseconds;
}

/** A minute is counted for the property and for the account, and so is a new hour; a new day in three items. */
function costOf(minute: number, known: Set<number>): number {
  const hour = Math.floor(minute / minutesOfHour);
  const day = Math.floor(minute / minutesOfDay);
  const cost = 2 + (known.has(hour) ? 0 : 2) + (known.has(-day) ? 0 : 3);
  known.add(hour).add(-day);
  return cost;
}
