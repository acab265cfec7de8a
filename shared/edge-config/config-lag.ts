import { isConfigured } from '../edge/registry.ts';
import type { EdgeItem } from '../edge/registry-table.ts';
import { touching } from '../ground/touches.ts';
import { readCounters, readCountersTouches } from '../property/config-change-table.ts';
import { edgeSyncs, edgeSyncsTouches, marksTouches, readMarks, writeMarks } from './edge-sync-table.ts';
import { lagsSince, withMark } from './lag.ts';

/** What the log says of an edge whose configuration is old, and the stack's alarm looks for. */
export const configLaggingMessage = 'edge configuration lagging';

export const noteChangesTouches = touching(marksTouches, readCountersTouches);

/** To be called each minute: what has been changed until now is what edges are measured by. */
export async function noteChanges(now: Date): Promise<void> {
  const [marks, { sequences }] = await Promise.all([readMarks(), readCounters()]);
  const next = withMark(marks, sequences, now);
  if (next !== marks) await writeMarks(next);
}

export const configLagsTouches = touching(marksTouches, edgeSyncsTouches);

/** Since when each of the edges that the API configures lacks something of its configuration; null where none is known. */
export async function configLags(edges: readonly EdgeItem[]): Promise<ReadonlyMap<string, string | null>> {
  const ids = edges.filter(isConfigured).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const [marks, syncs] = await Promise.all([readMarks(), edgeSyncs(ids)]);
  return new Map(
    ids.map((id) => {
      const sync = syncs.get(id);
      return [id, (sync && lagsSince(sync, marks)) ?? null] as const;
    }),
  );
}
