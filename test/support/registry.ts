import { findEdge } from '../../shared/edge/edge-table.ts';
import type { EdgeState } from '../../shared/edge/lagging.ts';
import { type EdgesInService, openEdges } from '../../shared/edge/registered-edges.ts';
import { allEdges, isInService } from '../../shared/edge/registry.ts';
import { type EdgeItem, type EdgeKey, stateOf } from '../../shared/edge/registry-table.ts';

/** Every edge in service, ready to be asked. */
export async function edgesInService(): Promise<EdgesInService> {
  return openEdges(await allEdges());
}

/** Every edge in service, as it is stored. */
export async function edgeItems(): Promise<readonly EdgeItem[]> {
  return (await allEdges()).filter(isInService);
}

/** Where every edge of the registry stands, those taken out of service included, by its id. */
export async function edgeStates(): Promise<ReadonlyMap<string, EdgeState>> {
  return new Map((await allEdges()).map((item) => [item.id, stateOf(item)]));
}

/** @returns undefined for an edge that is no longer in the registry */
export async function edgeState(id: string): Promise<EdgeState | undefined> {
  const item = await findEdge(id);
  return item && stateOf(item);
}

/** Of an edge that was added for everybody. */
export function keyOfEdge(id: string): EdgeKey {
  return { registry: 'edges', id };
}
