import type { EdgeFailureKind } from '../edge/driver.ts';
import type { Edge } from '../edge/edge.ts';
import { type EdgeProgress, isCompleted, isOpen, type Progress } from '../purge/progress.ts';
import type { EdgeResponse, Responses } from './attempt.ts';

export function isWaitingForShield(progress: Progress): boolean {
  return Object.values(progress).some((edge) => edge.tier === 'shield' && isOpen(edge));
}

/** Ids of the shields that have done it. */
export function shieldsDone(progress: Progress): readonly string[] {
  return Object.entries(progress).flatMap(([id, edge]) =>
    edge.tier === 'shield' && isCompleted(edge) ? [id] : [],
  );
}

/**
 * Where a purge stands after some of its edges have responded; a response of any other edge is left out. An edge
 * counts only where every shield was known to have done the purge before the edge was asked.
 * @param knownShields those that were known to have done it then, as `shieldsDone` says
 */
export function mergeProgress(
  progress: Progress,
  responses: Responses,
  knownShields: readonly string[],
): Progress {
  const after = mapEdges(progress, (edge, id) => (responses[id] ? advance(edge, responses[id]) : edge));
  const isAfterShields = Object.entries(after).every(([id, { tier, status }]) => {
    if (tier === 'edge' || status === 'failed') return true;
    const isKnownDone = knownShields.includes(id) || (responses[id] && !responses[id].failure);
    return status === 'completed' && isKnownDone;
  });
  if (isAfterShields) return after;
  return mapEdges(after, (edge, id) => {
    const isNewlyDone = isCompleted(edge) && !isCompleted(progress[id]);
    return edge.tier === 'edge' && isNewlyDone ? awaitShield(edge) : edge;
  });
}

/**
 * Without edges that were taken out of service, or out of whose scope the property went, before they had done it: they
 * hold no purge up. A shield stays until it is let go, which asks the edges below it.
 * @param inService those that take the property's purges
 * @param withdrawn id of a shield for which that is done
 */
export function withoutRemoved(
  progress: Progress,
  inService: readonly Pick<Edge, 'id'>[],
  withdrawn?: string,
): Progress {
  const ids = new Set(inService.map(({ id }) => id));
  const isKept = ([id, edge]: [string, EdgeProgress]): boolean =>
    isCompleted(edge) || ids.has(id) || (edge.tier === 'shield' && id !== withdrawn);
  return Object.fromEntries(Object.entries(progress).filter(isKept));
}

/** Without an edge of no shield's that was taken out of service before it had done the purge. */
export function withoutEdge(progress: Progress, edgeId: string): Progress {
  const isKept = ([id, edge]: [string, EdgeProgress]): boolean => id !== edgeId || isCompleted(edge);
  return Object.fromEntries(Object.entries(progress).filter(isKept));
}

/**
 * Edges that may have fetched from a shield which had not done the purge wait for it, whatever they had done;
 * unless somebody else has brought it to the shield, and so to them.
 */
export function reopenBelow(progress: Progress, shieldId: string, belowIds: readonly string[]): Progress {
  if (isCompleted(progress[shieldId])) return progress;
  return mapEdges(progress, (edge, id) => {
    if (id === shieldId) return { ...edge, status: 'retrying' };
    return belowIds.includes(id) && isCompleted(edge) ? awaitShield(edge) : edge;
  });
}

/** With one purge of the whole property in the place of an edge's own. */
export function coveredByAll(progress: Progress, edgeId: string): Progress {
  return mapEdges(progress, (edge, id) => (id === edgeId ? { ...edge, coveredBy: 'all' } : edge));
}

/** Work that an asynchronous backend has begun. */
interface BegunWork {
  readonly handle: string;
  /** How many paths the backend bills for it. */
  readonly paths: number;
}

/** With work begun at an asynchronous backend; its paths are counted once, however often and late it was asked to begin. */
export function countWork(progress: Progress, edgeId: string, { handle, paths }: BegunWork): Progress {
  return mapEdges(progress, (edge, id) => {
    if (id !== edgeId || isCompleted(edge)) return edge;
    const { lastError: _, ...others } = edge;
    const begun: EdgeProgress = { ...others, status: 'pending', attempts: edge.attempts + 1 };
    const counted = edge.countedWork?.split(' ') ?? [];
    if (counted.includes(handle)) return begun;
    return { ...begun, paths: (edge.paths ?? 0) + paths, countedWork: [...counted, handle].join(' ') };
  });
}

/** An edge that has done it stays done, whatever a second delivery of the same message saw. */
function advance(
  before: EdgeProgress,
  { attempts, removed, coveredBy = before.coveredBy, failure, at }: EdgeResponse,
): EdgeProgress {
  const { lastError: _, ...others } = before;
  const asked: EdgeProgress = { ...others, attempts: before.attempts + attempts };
  if (coveredBy) asked.coveredBy = coveredBy;
  if (removed !== undefined) asked.removed = (before.removed ?? 0) + removed;
  if (before.status === 'completed') return asked;
  if (!failure) return { ...asked, status: 'completed', completedAt: at };
  return { ...asked, status: statusAfter(before, failure.kind), lastError: failure.message };
}

/** A shield that is being caught up stays open whatever an older delivery saw, since edges below it wait for it. */
function statusAfter({ tier, status }: EdgeProgress, kind: EdgeFailureKind): 'retrying' | 'failed' {
  if (kind === 'unreachable') return 'retrying';
  return kind === 'denied' && tier === 'shield' && status === 'retrying' ? 'retrying' : 'failed';
}

/** An edge that is done before the shields, from which it fetches, counts as pending and is asked again after them. */
function awaitShield({ completedAt: _, ...edge }: EdgeProgress): EdgeProgress {
  return { ...edge, status: 'pending' };
}

function mapEdges(progress: Progress, change: (edge: EdgeProgress, id: string) => EdgeProgress): Progress {
  const changed: Record<string, EdgeProgress> = {};
  for (const id in progress) if (progress[id]) changed[id] = change(progress[id], id);
  return changed;
}
