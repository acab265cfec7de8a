import { absent, anyOf, compare } from '../aws/expression.ts';
import { queryAttributes } from '../aws/query.ts';
import { table, updateItem } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';

/** Which of an edge's hint sets. */
export interface HintSet {
  readonly edgeId: string;
  readonly number: number;
}

/** A property of which an edge has missed purges. */
export interface Hint {
  readonly propertyId: string;
  /** Id of the first purge that it may have missed; ids are in the order of time. */
  readonly since: string;
}

interface HintItem extends Hint {
  readonly hintSet: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

const hints = table<'hints', HintItem>('hints');
const keptSeconds = 400 * 24 * 3600;
const remembered = 10_000;

/** What this process has noted itself, so that each purge after the first of a property costs no write. */
const noted = new Map<string, string>();

export const putHintTouches = { tables: { hints: ['UpdateItem'] } } as const satisfies Touches;

/** Makes sure that whoever works the hint set off looks at the property's purges from the given one on. */
export async function putHint(set: HintSet, hint: Hint, now: Date): Promise<void> {
  const key = keyOf(set);
  const place = `${key}/${hint.propertyId}`;
  const known = noted.get(place);
  if (known !== undefined && known <= hint.since) return;
  await write(key, hint, now);
  if (noted.size >= remembered) noted.clear();
  noted.set(place, hint.since);
}

export const listHintsTouches = { tables: { hints: ['Query'] } } as const satisfies Touches;

export function listHints(set: HintSet): Promise<readonly Hint[]> {
  return queryAttributes(hints, { partition: keyOf(set) }, ['propertyId', 'since']);
}

function keyOf({ edgeId, number }: HintSet): string {
  return `${edgeId}#${number}`;
}

async function write(hintSet: string, { propertyId, since }: Hint, now: Date): Promise<void> {
  await updateItem(
    hints,
    { hintSet, propertyId },
    { set: { since, expiresAt: Math.floor(now.getTime() / 1000) + keptSeconds } },
    anyOf<'since'>(absent('since'), compare('since', '>', since)),
  );
}
