import { setTimeout as sleep } from 'node:timers/promises';
import { type EdgeDriver, EdgeFailure, type EdgePurge } from '../edge/driver.ts';
import type { Edge } from '../edge/edge.ts';

const attemptsInARow = 3;
const firstDelayMilliseconds = 50;
/** An edge that takes its time to fail is left to the catch-up, so that nothing else waits for it. */
const quickMilliseconds = 300;

export type DriverOf = (edge: Edge) => EdgeDriver;

/** How an edge responded, or that it did not. */
export interface EdgeResponse {
  /** How often it was asked. */
  readonly attempts: number;
  readonly removed?: number;
  /** Where it was asked for more than was named, because that was too much to name. */
  readonly coveredBy?: 'all';
  /** Why it has not done it. */
  readonly failure?: Pick<EdgeFailure, 'kind' | 'message'>;
  /** When it was asked for the first time. */
  readonly askedAt: string;
  /** When it was done, or given up. */
  readonly at: string;
}

/** By the edge's id. */
export type Responses = Readonly<Record<string, EdgeResponse>>;

/**
 * Asks one edge, a few times where it fails fast and asking again may help. Never throws for what an edge does.
 * @param limitMilliseconds for each request; the driver's own by default
 */
export async function attemptPurge(
  edge: Edge,
  purge: EdgePurge,
  driverOf: DriverOf,
  limitMilliseconds?: number,
): Promise<EdgeResponse> {
  const startedAt = performance.now();
  const askedAt = new Date().toISOString();
  for (let attempts = 1; ; attempts += 1) {
    try {
      const purged = await driverOf(edge).purge(edge, purge, limitMilliseconds);
      return { attempts, askedAt, at: new Date().toISOString(), ...purged };
    } catch (error) {
      const { kind, message } = failureOf(error);
      const isSlow = performance.now() - startedAt > quickMilliseconds;
      if (kind !== 'unreachable' || isSlow || attempts === attemptsInARow) {
        return { attempts, askedAt, at: new Date().toISOString(), failure: { kind, message } };
      }
      await pause(attempts);
    }
  }
}

function failureOf(error: unknown): EdgeFailure {
  if (error instanceof EdgeFailure) return error;
  throw error;
}

function pause(attempts: number): Promise<void> {
  return sleep(Math.random() * firstDelayMilliseconds * 2 ** attempts);
}
