import { getItems } from '../aws/batch.ts';
import { putItem, table, updateItem } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';
import { type Cursor, cursorText, parseCursor } from './cursor.ts';

/** How far an edge is known to have come. */
interface EdgeSyncItem {
  readonly edgeId: string;
  readonly cursor: string;
  /** When it last began with everything. */
  readonly begunAt: string;
}

/** How far an edge has come that has asked once. */
export interface EdgeSync {
  readonly positions: readonly number[];
  readonly begunAt: string;
}

const syncs = table<'edgeSyncs', EdgeSyncItem>('edgeSyncs');

export const noteBeginningTouches = { tables: { edgeSyncs: ['PutItem'] } } as const satisfies Touches;

export async function noteBeginning(edgeId: string, cursor: Cursor, now: Date): Promise<void> {
  await putItem(syncs, { edgeId, cursor: cursorText(cursor), begunAt: now.toISOString() });
}

export const noteCursorTouches = { tables: { edgeSyncs: ['UpdateItem'] } } as const satisfies Touches;

/** What an edge has applied when it sends the cursor. */
export async function noteCursor(edgeId: string, cursor: Cursor): Promise<void> {
  await updateItem(syncs, { edgeId }, { set: { cursor: cursorText(cursor) } });
}

export const edgeSyncsTouches = { tables: { edgeSyncs: ['BatchGetItem'] } } as const satisfies Touches;

/** Of edges by their ids; those that have never asked are left out. */
export async function edgeSyncs(edgeIds: readonly string[]): Promise<ReadonlyMap<string, EdgeSync>> {
  const found = await getItems(
    syncs,
    edgeIds.map((edgeId) => ({ edgeId })),
  );
  return new Map(
    found.flatMap(({ edgeId, cursor, begunAt }) => {
      const positions = parseCursor(cursor)?.positions;
      return positions ? [[edgeId, { positions, begunAt }] as const] : [];
    }),
  );
}
