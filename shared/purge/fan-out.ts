import { setTimeout as sleep } from 'node:timers/promises';
import { EdgeFailure, type EdgePurge } from '../edge/driver.ts';
import { drivers } from '../edge/drivers.ts';
import type { Edge } from '../edge/edge.ts';
import type { EdgeProgress } from './purge-record.ts';

const attemptsPerPass = 3;
const firstDelayMilliseconds = 50;

const jitter = (attempt: number): Promise<void> =>
  sleep(Math.random() * firstDelayMilliseconds * 2 ** attempt);

const failureOf = (error: unknown): EdgeFailure => {
  if (error instanceof EdgeFailure) return error;
  throw error;
};

/** Asks one edge, a few times where asking again may help. Never throws for what an edge does. */
const purgeEdge = async (edge: Edge, purge: EdgePurge, earlierAttempts: number): Promise<EdgeProgress> => {
  for (let attempt = 1; ; attempt += 1) {
    const attempts = earlierAttempts + attempt;
    try {
      const { removed } = await drivers[edge.driver].purge(edge, purge);
      return {
        tier: edge.tier,
        status: 'completed',
        attempts,
        removed,
        completedAt: new Date().toISOString(),
      };
    } catch (error) {
      const { kind, message } = failureOf(error);
      if (kind === 'refused') return { tier: edge.tier, status: 'failed', attempts, lastError: message };
      if (attempt === attemptsPerPass) {
        return { tier: edge.tier, status: 'retrying', attempts, lastError: message };
      }
      await jitter(attempt);
    }
  }
};

type ProgressById = Readonly<Record<string, EdgeProgress>>;

const purgeTier = async (
  edges: readonly Edge[],
  purge: EdgePurge,
  earlier: ProgressById,
): Promise<ProgressById> =>
  Object.fromEntries(
    await Promise.all(
      edges.map(async (edge) => [edge.id, await purgeEdge(edge, purge, earlier[edge.id]?.attempts ?? 0)]),
    ),
  );

/**
 * Asks all edges of a tier at once, the shields first: an edge that is purged before its shield would fetch
 * the old content from there again.
 */
export const fanOut = async (
  edges: readonly Edge[],
  purge: EdgePurge,
  earlier: ProgressById,
): Promise<ProgressById> => {
  const inTier = (tier: Edge['tier']) => edges.filter((edge) => edge.tier === tier);
  const shields = await purgeTier(inTier('shield'), purge, earlier);
  return { ...shields, ...(await purgeTier(inTier('edge'), purge, earlier)) };
};
