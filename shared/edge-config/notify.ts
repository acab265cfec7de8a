import type { ImmediateEdge } from '../edge/edge.ts';
import { askEdge } from '../edge/protocol-client.ts';
import { openEdges, openEdgesTouches } from '../edge/registered-edges.ts';
import { isConfigured, readRegistry, readRegistryTouches } from '../edge/registry.ts';
import { newId } from '../ground/id.ts';
import { log } from '../ground/log.ts';
import { messageOf } from '../ground/message-of.ts';
import { inParallel } from '../ground/parallel.ts';
import { touching } from '../ground/touches.ts';
import type { PropertyOwner } from '../property/property-owner.ts';

const lookedUpAtOnce = 16;
const limitMilliseconds = 1_000;

export const notifyEdgesTouches = touching(readRegistryTouches, openEdgesTouches);

/**
 * Tells each configured edge that has one of the properties to poll now, once for all of them. Who cannot be told, or is
 * known to be away, polls a little later by itself.
 */
export async function notifyEdges(owners: readonly PropertyOwner[]): Promise<void> {
  const registry = await readRegistry(true);
  const found = await inParallel(owners, lookedUpAtOnce, (owner) => registry.edgesOf(owner));
  const configured = found.flat().filter((edge) => isConfigured(edge) && !edge.isBreakerOpen);
  const { immediate } = await openEdges([...new Map(configured.map((edge) => [edge.id, edge])).values()]);
  await Promise.all(immediate.map(notify));
}

async function notify(edge: ImmediateEdge): Promise<void> {
  try {
    // A signature of its own, so that an edge can tell a notification from a copy of it.
    await askEdge(edge, { mode: 'poll', keys: newId(), limitMilliseconds });
  } catch (error) {
    log('info', 'edge not notified', { edgeId: edge.id, reason: messageOf(error) });
  }
}
