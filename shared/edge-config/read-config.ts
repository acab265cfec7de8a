import type { ConfiguredEdge } from '../edge/configured-edge.ts';
import { touching } from '../ground/touches.ts';
import { readCounters, readCountersTouches } from '../property/config-change-table.ts';
import { parseApplied } from './applied.ts';
import { readPage, readPageTouches } from './config-page.ts';
import { cursorText, isUsable, newCursor, parseCursor } from './cursor.ts';
import { noteApplied, noteAppliedTouches } from './deployment-table.ts';
import { noteBeginning, noteCursor, noteCursorTouches } from './edge-sync-table.ts';

/** What an edge sends when it asks for its configuration. */
interface Poll {
  readonly cursor?: string | undefined;
  /** Text of an AppliedList; absent where the edge reports nothing. */
  readonly applied?: string | undefined;
}

export const readConfigTouches = touching(
  readCountersTouches,
  readPageTouches,
  noteAppliedTouches,
  noteCursorTouches,
);

/**
 * Keeps what the edge reports, and gives it what has changed since its cursor. A poll with a usable
 * cursor that reports nothing writes nothing.
 */
export async function readConfig(edge: ConfiguredEdge, { cursor: text = '', applied }: Poll) {
  const now = new Date();
  const counters = await readCounters();
  const sent = parseCursor(text);
  const known = sent && isUsable(sent, edge.scope, counters.sequences, now) ? sent : undefined;
  if (applied !== undefined) {
    await noteApplied(edge, parseApplied(applied), now);
    if (known) await noteCursor(edge.id, known);
  }
  const cursor = known ?? newCursor(edge.scope, now);
  if (!known) await noteBeginning(edge.id, cursor, now);
  const page = await readPage(edge.scope, cursor, counters, now);
  return {
    changes: page.changes.map(({ document, ...change }) => ({
      ...change,
      document: document && { ...document },
    })),
    cursor: cursorText(page.cursor),
    isMore: page.isMore,
    isWhole: cursor.isWhole,
    isFirst: !known,
  };
}
