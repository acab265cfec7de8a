import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgePurge } from '../edge/driver.ts';
import type { Edge, EdgeTier } from '../edge/edge.ts';
import { isDone, type Progress } from './progress.ts';
import { type DriverOf, purgeEdge } from './purge-edge.ts';

/** As long as a fetch may reasonably take that was under way when an edge without a guard was purged. */
const secondPassAfterMilliseconds = 2_000;

interface FanOut {
  readonly purge: EdgePurge;
  readonly driverOf: DriverOf;
  readonly before: Progress;
}

const inTier = (edges: readonly Edge[], tier: EdgeTier): readonly Edge[] =>
  edges.filter((edge) => edge.tier === tier);

const purgeTier = async (edges: readonly Edge[], { purge, driverOf, before }: FanOut): Promise<Progress> =>
  Object.fromEntries(
    await Promise.all(
      edges.map(async (edge) => [edge.id, await purgeEdge(edge, purge, driverOf, before[edge.id])]),
    ),
  );

/** Edges of the lower tier that were already asked wait for the shields, from which they fetch. */
const heldBack = (progress: Progress): Progress =>
  Object.fromEntries(
    Object.entries(progress).map(([id, edge]) => {
      const { completedAt: _, ...rest } = edge;
      return [id, edge.status === 'completed' ? { ...rest, status: 'pending' as const } : edge];
    }),
  );

const isOpen = (progress: Progress, tier: EdgeTier): boolean =>
  Object.values(progress).some((edge) => edge.tier === tier && !isDone(edge));

const firstPass = async (edges: readonly Edge[], fanOut: FanOut): Promise<Progress> => {
  const shields = await purgeTier(inTier(edges, 'shield'), fanOut);
  const isWaiting = isOpen({ ...fanOut.before, ...shields }, 'shield');
  const wasAsked = ({ id }: Edge): boolean => {
    const progress = fanOut.before[id];
    return progress?.status === 'pending' && progress.attempts > 0;
  };
  const due = inTier(edges, 'edge').filter((edge) => !(isWaiting && wasAsked(edge)));
  const lower = await purgeTier(due, fanOut);
  return { ...shields, ...(isWaiting ? heldBack(lower) : lower) };
};

/** Who must be asked again: the unguarded, and all that fetch from an unguarded shield. */
const unguarded = (edges: readonly Edge[], progress: Progress, driverOf: DriverOf): readonly Edge[] => {
  const completed = edges.filter(({ id }) => progress[id]?.status === 'completed');
  const bare = completed.filter((edge) => !driverOf(edge).guardsFetches);
  return bare.some(({ tier }) => tier === 'shield')
    ? [...inTier(bare, 'shield'), ...inTier(completed, 'edge')]
    : bare;
};

/**
 * Asks all edges of a tier at once, the shields first: an edge that is purged before its shield would fetch
 * the old content from there again. While a shield has yet to do it the edges are purged all the same, but
 * count as pending, and are purged again after it.
 * @param before where each edge of the purge stands
 * @returns where the asked edges stand now
 */
export const fanOut = async (
  edges: readonly Edge[],
  purge: EdgePurge,
  before: Progress,
  driverOf: DriverOf,
): Promise<Progress> => {
  const first = await firstPass(edges, { purge, driverOf, before });
  const again = unguarded(edges, first, driverOf);
  if (again.length === 0) return first;
  await sleep(secondPassAfterMilliseconds);
  return { ...first, ...(await firstPass(again, { purge, driverOf, before: { ...before, ...first } })) };
};
