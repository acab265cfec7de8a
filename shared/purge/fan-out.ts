import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgePurge } from '../edge/driver.ts';
import type { Edge, EdgeTier } from '../edge/edge.ts';
import { type Answers, type DriverOf, type EdgeAnswer, purgeEdge } from './purge-edge.ts';

/** As long as a fetch may reasonably take that was under way when an edge without a guard was purged. */
const secondPassAfterMilliseconds = 2_000;

interface FanOut {
  readonly purge: EdgePurge;
  readonly driverOf: DriverOf;
  readonly limitMilliseconds: number | undefined;
}

const inTier = (edges: readonly Edge[], tier: EdgeTier): readonly Edge[] =>
  edges.filter((edge) => edge.tier === tier);

const askAll = async (
  edges: readonly Edge[],
  { purge, driverOf, limitMilliseconds }: FanOut,
): Promise<Answers> =>
  Object.fromEntries(
    await Promise.all(
      edges.map(async (edge) => [edge.id, await purgeEdge(edge, purge, driverOf, limitMilliseconds)]),
    ),
  );

const pass = async (edges: readonly Edge[], fanOut: FanOut): Promise<Answers> => ({
  ...(await askAll(inTier(edges, 'shield'), fanOut)),
  ...(await askAll(inTier(edges, 'edge'), fanOut)),
});

/** Who must be asked again: the unguarded, and all that fetch from an unguarded shield. */
const unguarded = (edges: readonly Edge[], answers: Answers, driverOf: DriverOf): readonly Edge[] => {
  const done = edges.filter(({ id }) => !answers[id]?.failure);
  const bare = done.filter((edge) => !driverOf(edge).guardsFetches);
  return bare.some(({ tier }) => tier === 'shield')
    ? [...inTier(bare, 'shield'), ...inTier(done, 'edge')]
    : bare;
};

const added = (first: EdgeAnswer | undefined, second: EdgeAnswer): EdgeAnswer => {
  if (!first) return second;
  const removed = first.removed === undefined ? second.removed : first.removed + (second.removed ?? 0);
  return { ...second, attempts: first.attempts + second.attempts, ...(removed !== undefined && { removed }) };
};

/**
 * Asks all edges of a tier at once, the shields first: an edge that is purged before its shield would fetch
 * the old content from there again.
 * @param limitMilliseconds for each request; the driver's own by default
 */
export const fanOut = async (
  edges: readonly Edge[],
  purge: EdgePurge,
  driverOf: DriverOf,
  limitMilliseconds?: number,
): Promise<Answers> => {
  const asked = { purge, driverOf, limitMilliseconds };
  const first = await pass(edges, asked);
  const again = unguarded(edges, first, driverOf);
  if (again.length === 0) return first;
  await sleep(secondPassAfterMilliseconds);
  const second = Object.entries(await pass(again, asked));
  return { ...first, ...Object.fromEntries(second.map(([id, answer]) => [id, added(first[id], answer)])) };
};
