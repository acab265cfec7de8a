import { setTimeout as sleep } from 'node:timers/promises';
import { type EdgeDriver, EdgeFailure, type EdgePurge } from '../edge/driver.ts';
import type { Edge } from '../edge/edge.ts';
import type { EdgeProgress } from './progress.ts';

const attemptsPerPass = 3;
const firstDelayMilliseconds = 50;

export type DriverOf = (edge: Edge) => EdgeDriver;

const pause = (attempt: number): Promise<void> =>
  sleep(Math.random() * firstDelayMilliseconds * 2 ** attempt);

const failureOf = (error: unknown): EdgeFailure => {
  if (error instanceof EdgeFailure) return error;
  throw error;
};

/**
 * Asks one edge, a few times where asking again may help. Never throws for what an edge does.
 * @param before where the edge stood; what it removed then is added to
 */
export const purgeEdge = async (
  edge: Edge,
  purge: EdgePurge,
  driverOf: DriverOf,
  before: EdgeProgress | undefined,
): Promise<EdgeProgress> => {
  const { tier } = edge;
  const earlier = before?.removed === undefined ? {} : { removed: before.removed };
  for (let attempt = 1; ; attempt += 1) {
    const attempts = (before?.attempts ?? 0) + attempt;
    try {
      const { removed = 0 } = await driverOf(edge).purge(edge, purge);
      const total = (before?.removed ?? 0) + removed;
      return { tier, status: 'completed', attempts, removed: total, completedAt: new Date().toISOString() };
    } catch (error) {
      const { kind, message } = failureOf(error);
      if (kind !== 'unreachable') return { tier, status: 'failed', attempts, ...earlier, lastError: message };
      if (attempt === attemptsPerPass) {
        return { tier, status: 'retrying', attempts, ...earlier, lastError: message };
      }
      await pause(attempt);
    }
  }
};
