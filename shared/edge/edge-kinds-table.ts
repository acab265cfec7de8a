import { absent } from '../aws/expression.ts';
import { queryAttributes } from '../aws/query.ts';
import type { Touches } from '../ground/resources.ts';
import type { Edge } from './edge.ts';
import { edges, registry } from './registry-table.ts';

export type EdgeKind = Pick<Edge, 'id' | 'driver'>;

/** Edges come and go with people, and a driver refuses what was accepted in this time. */
const rememberedMilliseconds = 10_000;

let remembered: { readonly until: number; readonly kinds: Promise<readonly EdgeKind[]> } | undefined;

export const listEdgeKindsTouches = { tables: { edges: ['Query'] } } as const satisfies Touches;

/** What kinds of edges are in service, at most ten seconds ago. */
export function listEdgeKinds(now = Date.now()): Promise<readonly EdgeKind[]> {
  if (remembered && now < remembered.until) return remembered.kinds;
  const range = { partition: registry, where: absent<'removedAt'>('removedAt'), isEventual: true };
  const kinds = queryAttributes(edges, range, ['id', 'driver']);
  remembered = { until: now + rememberedMilliseconds, kinds };
  kinds.catch(() => {
    remembered = undefined;
  });
  return kinds;
}
