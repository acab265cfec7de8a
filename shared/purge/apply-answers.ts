import type { Edge } from '../edge/edge.ts';
import { isDone, type Progress, type StoredEdgeProgress } from './progress.ts';
import type { Answers, EdgeAnswer } from './purge-edge.ts';

const isOpen = ({ status }: StoredEdgeProgress): boolean => status === 'pending' || status === 'retrying';

/** An edge that has done it stays done, whatever a second delivery of the same message saw. */
const advance = (
  before: StoredEdgeProgress,
  { attempts, removed, failure, at }: EdgeAnswer,
): StoredEdgeProgress => {
  const asked = {
    tier: before.tier,
    attempts: before.attempts + attempts,
    ...(before.coveredBy && { coveredBy: before.coveredBy }),
    ...((before.removed ?? removed) !== undefined && { removed: (before.removed ?? 0) + (removed ?? 0) }),
  };
  if (before.status === 'completed') return { ...before, ...asked };
  if (!failure) return { ...asked, status: 'completed', completedAt: at };
  const status = failure.kind === 'unreachable' ? 'retrying' : 'failed';
  return { ...asked, status, lastError: failure.message };
};

/** Edges that are done before the shields, from which they fetch, count as pending and are asked again after them. */
const heldBack = ({ completedAt: _, handle: __, ...edge }: StoredEdgeProgress): StoredEdgeProgress => ({
  ...edge,
  status: 'pending',
});

export const isWaitingForShield = (progress: Progress): boolean =>
  Object.values(progress).some((edge) => edge.tier === 'shield' && isOpen(edge));

/** Where a purge stands after some of its edges have answered; whoever is not of the purge is passed over. */
export const applyAnswers = (progress: Progress, answers: Answers): Progress => {
  const entries = Object.entries(progress).map(([id, edge]) => {
    const answer = answers[id];
    return [id, answer ? advance(edge, answer) : edge] as const;
  });
  const isWaiting = isWaitingForShield(Object.fromEntries(entries));
  return Object.fromEntries(
    entries.map(([id, edge]) => {
      const isNewlyDone = edge.status === 'completed' && progress[id]?.status !== 'completed';
      return [id, isWaiting && edge.tier === 'edge' && isNewlyDone ? heldBack(edge) : edge];
    }),
  );
};

/** Without edges that were taken out of service before they had done it: they hold no purge up. */
export const inService = (progress: Progress, edges: readonly Pick<Edge, 'id'>[]): Progress =>
  Object.fromEntries(
    Object.entries(progress).filter(([id, edge]) => isDone(edge) || edges.some((known) => known.id === id)),
  );

/** Edges that fetched from a shield which has only now done it are to be asked again. */
export const reopened = (progress: Progress, edgeIds: readonly string[]): Progress =>
  Object.fromEntries(
    Object.entries(progress).map(([id, edge]) => [
      id,
      edgeIds.includes(id) && edge.status !== 'failed' ? heldBack(edge) : edge,
    ]),
  );

const withEdge = (
  progress: Progress,
  edgeId: string,
  change: (edge: StoredEdgeProgress) => StoredEdgeProgress,
): Progress =>
  Object.fromEntries(Object.entries(progress).map(([id, edge]) => [id, id === edgeId ? change(edge) : edge]));

/** With one purge of the whole property in the place of an edge's own. */
export const coveredByAll = (progress: Progress, edgeId: string): Progress =>
  withEdge(progress, edgeId, (edge) => ({ ...edge, coveredBy: 'all' }));

/** With work under way at a backend that takes its time. */
export const begun = (progress: Progress, edgeId: string, handle: string): Progress =>
  withEdge(progress, edgeId, ({ lastError: _, ...edge }) => ({
    ...edge,
    status: 'pending',
    attempts: edge.attempts + 1,
    handle,
  }));
