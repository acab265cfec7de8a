import type { PropertyOwner } from '../property/property-owner.ts';
import { type Registry, readRegistry, readRegistryTouches } from './registry.ts';
import type { EdgeItem } from './registry-table.ts';

export type EdgeKind = Pick<EdgeItem, 'id' | 'driver' | 'isWidened'>;

/** Edges change rarely; a purge that was accepted by the list from before is refused by the driver, and shows as failed. */
const rememberedMilliseconds = 10_000;

let remembered: { readonly until: number; readonly registry: Promise<Registry> } | undefined;

export const listEdgeKindsTouches = readRegistryTouches;

/** What kinds of edges take the property's purges, at most ten seconds ago. */
export async function listEdgeKinds(owner: PropertyOwner, now = Date.now()): Promise<readonly EdgeKind[]> {
  if (!remembered || now >= remembered.until) {
    const registry = readRegistry(true);
    remembered = { until: now + rememberedMilliseconds, registry };
    registry.catch(() => {
      remembered = undefined;
    });
  }
  return (await remembered.registry).edgesOf(owner);
}
