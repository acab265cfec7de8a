import type { HostnameOwner } from '../property/hostname-table.ts';
import { addCount, type CellCounts } from './cell.ts';
import { bucketExpiry, bucketStart, bucketText, type Granularity, granularities } from './granularity.ts';
import type { LogPart } from './log-parts.ts';

/** What is added to one counter item. */
export interface Increment {
  readonly series: string;
  readonly slot: string;
  readonly expiresAt: number;
  readonly counts: CellCounts;
}

/** What is added to a property's requests of a day, in the list by which an account's busiest are found. */
export interface DayIncrement {
  readonly series: string;
  readonly slot: string;
  readonly expiresAt: number;
  requests: number;
}

/**
 * The counters of one part of one edge's batch. Each edge adds to items of its own, so that edges never wait for
 * one another.
 */
export class Counters {
  readonly increments = new Map<string, Increment>();
  readonly active = new Map<string, DayIncrement>();
  private readonly edgeId: string;

  constructor(edgeId: string) {
    this.edgeId = edgeId;
  }

  add({ accountId, propertyId }: HostnameOwner, minute: number, counts: CellCounts): number {
    const time = minute * granularities.minute.milliseconds;
    for (const owner of [propertyId, accountId])
      for (const granularity of ['minute', 'hour', 'day'] as const)
        this.addTo(owner, granularity, time, counts);
    let requests = 0;
    for (const count of counts.values()) requests += count.requests;
    this.addActive(accountId, propertyId, time, requests);
    return requests;
  }

  private addTo(owner: string, granularity: Granularity, time: number, counts: CellCounts): void {
    const start = bucketStart(granularity, time);
    const series = seriesOf(owner, granularity);
    const key = `${series} ${start}`;
    let increment = this.increments.get(key);
    if (!increment) {
      const slot = `${bucketText(granularity, start)}#${this.edgeId}`;
      increment = { series, slot, expiresAt: bucketExpiry(granularity, start), counts: new Map() };
      this.increments.set(key, increment);
    }
    for (const [cell, { requests, bytes }] of counts) addCount(increment.counts, cell, requests, bytes);
  }

  private addActive(accountId: string, propertyId: string, time: number, requests: number): void {
    const start = bucketStart('day', time);
    const slot = `${bucketText('day', start)}#${propertyId}#${this.edgeId}`;
    const known = this.active.get(slot);
    if (known) known.requests += requests;
    else
      this.active.set(slot, {
        series: activeSeriesOf(accountId),
        slot,
        expiresAt: bucketExpiry('day', start),
        requests,
      });
  }
}

/** The numbers of a property or of an account. */
export function seriesOf(owner: string, granularity: Granularity): string {
  return `${owner}#${granularities[granularity].letter}`;
}

/** Which properties of an account had requests, day by day. */
export function activeSeriesOf(accountId: string): string {
  return `${accountId}#properties`;
}

/** The counters of a part, and how many of its lines are of hosts that nobody has. */
export function countPart(
  edgeId: string,
  part: LogPart,
  owners: ReadonlyMap<string, HostnameOwner>,
): { readonly counters: Counters; readonly accepted: number; readonly unknownHost: number } {
  const counters = new Counters(edgeId);
  let accepted = 0;
  let unknownHost = 0;
  for (const [hostname, minutes] of part) {
    const owner = owners.get(hostname);
    for (const [minute, counts] of minutes) {
      if (owner) accepted += counters.add(owner, minute, counts);
      else for (const { requests } of counts.values()) unknownHost += requests;
    }
  }
  return { counters, accepted, unknownHost };
}
