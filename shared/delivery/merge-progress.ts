import type { Edge } from '../edge/edge.ts';
import { isCompleted, isOpen, type Progress, type StoredEdgeProgress } from '../purge/progress.ts';
import type { EdgeResponse, Responses } from './attempt.ts';

export function isWaitingForShield(progress: Progress): boolean {
  return Object.values(progress).some((edge) => edge.tier === 'shield' && isOpen(edge));
}

/** Where a purge stands after some of its edges have responded; a response of any other edge is left out. */
export function mergeProgress(progress: Progress, responses: Responses): Progress {
  const after = Object.fromEntries(
    Object.entries(progress).map(([id, edge]) => [id, responses[id] ? advance(edge, responses[id]) : edge]),
  );
  const isWaiting = isWaitingForShield(after);
  return Object.fromEntries(
    Object.entries(after).map(([id, edge]) => {
      const response = responses[id];
      const isNewlyDone = response && isCompleted(edge) && !isCompleted(progress[id]);
      const mustAwaitShield =
        edge.tier === 'edge' && isNewlyDone && (isWaiting || wasTooEarly(after, responses, response));
      return [id, mustAwaitShield ? awaitShield(edge) : edge];
    }),
  );
}

/** Without edges that were taken out of service before they had done it: they hold no purge up. */
export function inService(progress: Progress, edges: readonly Pick<Edge, 'id'>[]): Progress {
  return Object.fromEntries(
    Object.entries(progress).filter(
      ([id, edge]) => isCompleted(edge) || edges.some((known) => known.id === id),
    ),
  );
}

/** Edges that fetched from a shield which has only now done it are to be asked again. */
export function reopen(progress: Progress, edgeIds: readonly string[]): Progress {
  return Object.fromEntries(
    Object.entries(progress).map(([id, edge]) => [
      id,
      edgeIds.includes(id) && edge.status !== 'failed' ? awaitShield(edge) : edge,
    ]),
  );
}

/** With one purge of the whole property in the place of an edge's own. */
export function coveredByAll(progress: Progress, edgeId: string): Progress {
  return withEdge(progress, edgeId, (edge) => ({ ...edge, coveredBy: 'all' }));
}

/** With work started at a backend that takes its time. */
export function started(progress: Progress, edgeId: string, handle: string): Progress {
  return withEdge(progress, edgeId, ({ lastError: _, ...edge }) => ({
    ...edge,
    status: 'pending',
    attempts: edge.attempts + 1,
    handle,
  }));
}

/** An edge that has done it stays done, whatever a second delivery of the same message saw. */
function advance(
  before: StoredEdgeProgress,
  { attempts, removed, coveredBy = before.coveredBy, failure, at }: EdgeResponse,
): StoredEdgeProgress {
  const asked = {
    tier: before.tier,
    attempts: before.attempts + attempts,
    ...(coveredBy && { coveredBy }),
    ...((before.removed ?? removed) !== undefined && { removed: (before.removed ?? 0) + (removed ?? 0) }),
  };
  if (before.status === 'completed') return { ...before, ...asked };
  if (!failure) return { ...asked, status: 'completed', completedAt: at };
  const status = failure.kind === 'unreachable' ? 'retrying' : 'failed';
  return { ...asked, status, lastError: failure.message };
}

/** Whether a shield was done by somebody else after the edge was asked, which may have fetched from it before. */
function wasTooEarly(progress: Progress, responses: Responses, { askedAt }: EdgeResponse): boolean {
  return Object.entries(progress).some(([id, { tier, completedAt }]) => {
    const isOfSameFanOut = responses[id] !== undefined && !responses[id].failure;
    return tier === 'shield' && !isOfSameFanOut && completedAt !== undefined && completedAt > askedAt;
  });
}

/** Edges that are done before the shields, from which they fetch, count as pending and are asked again after them. */
function awaitShield({ completedAt: _, handle: __, ...edge }: StoredEdgeProgress): StoredEdgeProgress {
  return {
    ...edge,
    status: 'pending',
  };
}

function withEdge(
  progress: Progress,
  edgeId: string,
  change: (edge: StoredEdgeProgress) => StoredEdgeProgress,
): Progress {
  return Object.fromEntries(
    Object.entries(progress).map(([id, edge]) => [id, id === edgeId ? change(edge) : edge]),
  );
}
