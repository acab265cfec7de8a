import { getItems } from '../aws/batch.ts';
import { getItem, putItem, table, updateItem } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';
import { type Cursor, cursorText, parseCursor } from './cursor.ts';
import type { EdgeSync, Mark } from './lag.ts';

/** How far an edge is known to have come. */
interface EdgeSyncItem extends Pick<EdgeSync, 'begunAt'> {
  readonly edgeId: string;
  readonly cursor: string;
}

/** What had been changed minute by minute, under an id that no edge can have. */
interface MarksItem {
  readonly edgeId: '#marks';
  readonly marks: readonly Mark[];
}

const syncs = table<'edgeSyncs', EdgeSyncItem>('edgeSyncs');
const markRows = table<'edgeSyncs', MarksItem>('edgeSyncs');
const marksKey = { edgeId: '#marks' } as const;

export const noteCursorTouches = { tables: { edgeSyncs: ['UpdateItem'] } } as const satisfies Touches;

/** Notes that the edge begins with everything; one that never comes to the end has begun when it first did. */
export async function noteBeginning(edgeId: string, cursor: Cursor, now: Date): Promise<void> {
  const begunAt = now.toISOString();
  await updateItem(syncs, { edgeId }, { set: { cursor: cursorText(cursor) }, setIfAbsent: { begunAt } });
}

/** Notes what an edge has applied that sends the cursor. */
export async function noteCursor(edgeId: string, cursor: Cursor): Promise<void> {
  const set = { cursor: cursorText(cursor) };
  await updateItem(syncs, { edgeId }, { set, remove: cursor.isWhole ? [] : ['begunAt'] });
}

export const edgeSyncsTouches = { tables: { edgeSyncs: ['BatchGetItem'] } } as const satisfies Touches;

/** How far edges have come, by their ids; those that have never asked are left out. */
export async function edgeSyncs(edgeIds: readonly string[]): Promise<ReadonlyMap<string, EdgeSync>> {
  const keys = edgeIds.map((edgeId) => ({ edgeId }));
  return new Map(
    (await getItems(syncs, keys)).flatMap(({ edgeId, cursor, begunAt }) => {
      const positions = parseCursor(cursor)?.positions;
      return positions ? [[edgeId, { positions, ...(begunAt && { begunAt }) }] as const] : [];
    }),
  );
}

export const marksTouches = { tables: { edgeSyncs: ['GetItem', 'PutItem'] } } as const satisfies Touches;

export async function readMarks(): Promise<readonly Mark[]> {
  return (await getItem(markRows, marksKey))?.marks ?? [];
}

export async function writeMarks(marks: readonly Mark[]): Promise<void> {
  await putItem(markRows, { ...marksKey, marks });
}
