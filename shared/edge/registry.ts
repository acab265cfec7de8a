import { getItems } from '../aws/batch.ts';
import { queryAll } from '../aws/query.ts';
import { table } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';
import type { PropertyOwner } from '../property/property-owner.ts';
import { type EdgeItem, edgeIndex, edges, type FilterItem, registries, scopeOf } from './registry-table.ts';
import { isInScope, termsHolding } from './scope.ts';
import { emptyFilter, mayHold } from './term-filter.ts';

const rows = table<'edges', EdgeItem | FilterItem>('edges');

export const readRegistryTouches = {
  tables: { edges: ['Query', 'BatchGetItem'], edgeIndex: ['Query'] },
} as const satisfies Touches;

/**
 * The registry as it is read once for many purges: the edges for everybody, and which others there may be. However
 * many others there are, a purge reads its own only.
 */
export class Registry {
  private readonly forEverybody: readonly EdgeItem[];
  private readonly filter: Uint8Array;
  private readonly isEventual: boolean;
  private readonly found = new Map<string, Promise<readonly EdgeItem[]>>();

  constructor(read: readonly (EdgeItem | FilterItem)[], isEventual: boolean) {
    this.forEverybody = read.filter(isEdge);
    this.filter = read.find(isFilter)?.filter ?? emptyFilter();
    this.isEventual = isEventual;
  }

  /** The edges in service whose scope holds the property. */
  edgesOf(owner: PropertyOwner): Promise<readonly EdgeItem[]> {
    const known = this.found.get(owner.propertyId);
    if (known) return known;
    const found = this.find(owner);
    this.found.set(owner.propertyId, found);
    found.catch(() => this.found.delete(owner.propertyId));
    return found;
  }

  private async find(owner: PropertyOwner): Promise<readonly EdgeItem[]> {
    const terms = termsHolding(owner).filter((term) => mayHold(this.filter, term));
    const found = await Promise.all(
      terms.map((term) => queryAll(edgeIndex, { partition: term, isEventual: this.isEventual })),
    );
    const ids = [...new Set(found.flat().map(({ edgeId }) => edgeId))];
    const scoped = ids.length > 0 ? await getItems(edges, ids.map(scopedKey)) : [];
    return [...this.forEverybody, ...scoped].filter(
      (edge) => isInService(edge) && isInScope(scopeOf(edge), owner),
    );
  }
}

/** @param isEventual costs half, and may miss what was registered a moment ago */
export async function readRegistry(isEventual = false): Promise<Registry> {
  return new Registry(await queryAll(rows, { partition: 'edges', isEventual }), isEventual);
}

export const allEdgesTouches = { tables: { edges: ['Query'] } } as const satisfies Touches;

/** Every edge of the registry as it is stored, those taken out of service included; for who needs them all. */
export async function allEdges(): Promise<readonly EdgeItem[]> {
  const read = await Promise.all(registries.map((partition) => queryAll(rows, { partition })));
  return read.flat().filter(isEdge);
}

export const findEdgesTouches = { tables: { edges: ['BatchGetItem'] } } as const satisfies Touches;

/** The edges of those ids as they are stored, those taken out of service included. */
export function findEdges(ids: readonly string[]): Promise<readonly EdgeItem[]> {
  return getItems(
    edges,
    [...new Set(ids)].flatMap((id) => registries.map((registry) => ({ registry, id }))),
  );
}

export function isInService({ removedAt }: Pick<EdgeItem, 'removedAt'>): boolean {
  return removedAt === undefined;
}

/** Whether the API configures it, and it does not have a configuration of its own. */
export function isConfigured({ acceptedKeys }: Pick<EdgeItem, 'acceptedKeys'>): boolean {
  return acceptedKeys !== undefined;
}

function isFilter(row: EdgeItem | FilterItem): row is FilterItem {
  return 'filter' in row;
}

function isEdge(row: EdgeItem | FilterItem): row is EdgeItem {
  return !isFilter(row);
}

function scopedKey(id: string) {
  return { registry: 'scoped', id } as const;
}
