import { setTimeout as sleep } from 'node:timers/promises';
import { EdgeFailure, type EdgePurged } from '../edge/driver.ts';

const attemptsInARow = 3;
const firstDelayMilliseconds = 50;
/** An edge that takes its time to fail is left to the catch-up, so that nothing else waits for it. */
const quickFailureMilliseconds = 300;

/** How an edge responded, or that it did not. */
export interface EdgeResponse {
  /** How often it was asked. */
  readonly attempts: number;
  readonly removed?: number;
  /** Where everything of the property was asked for: so much was named, or the backend cannot do the purge exactly. */
  readonly coveredBy?: 'all';
  /** Why it has not done it. */
  readonly failure?: Pick<EdgeFailure, 'kind' | 'message'>;
  /** When it was done, or given up: milliseconds of Unix time. */
  readonly at: number;
}

/** By the edge's id. */
export type Responses = Readonly<Record<string, EdgeResponse>>;

/** Asks one edge, a few times where it fails fast and asking again may help. Never throws for what an edge does. */
export async function attemptPurge(send: () => Promise<EdgePurged>): Promise<EdgeResponse> {
  const startedAt = performance.now();
  for (let attempts = 1; ; attempts += 1) {
    try {
      const purged = await send();
      return { attempts, at: Date.now(), ...purged };
    } catch (error) {
      if (!(error instanceof EdgeFailure)) throw error;
      const isSlow = performance.now() - startedAt > quickFailureMilliseconds;
      if (error.kind !== 'unreachable' || isSlow || attempts === attemptsInARow)
        return failedResponse(error, attempts);
      await pause(attempts);
    }
  }
}

/** @param attempts how often the edge was asked */
export function failedResponse({ kind, message }: EdgeFailure, attempts: number): EdgeResponse {
  return { attempts, failure: { kind, message }, at: Date.now() };
}

function pause(attempts: number): Promise<void> {
  return sleep(Math.random() * firstDelayMilliseconds * 2 ** attempts);
}
