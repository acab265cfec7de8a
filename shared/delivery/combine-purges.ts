import type { EdgePurge } from '../edge/driver.ts';
import { log } from '../ground/log.ts';
import type { NonEmpty } from '../ground/non-empty.ts';
import { inParallel } from '../ground/parallel.ts';
import {
  getContent,
  getContentTouches,
  getHostnames,
  type PurgeContent,
} from '../purge/purge-content-table.ts';
import type { StartedPurge } from '../purge/started-purge-table.ts';
import { shieldsDone } from './merge-progress.ts';

/** Past this many values of a property, one purge of all of it stands for them. */
const maximumValues = 1_000;

const concurrentReads = 16;

/** Purges of a property that go to an edge as one, later than they were asked for. */
export interface CombinedPurges {
  readonly purge: EdgePurge;
  readonly of: NonEmpty<StartedPurge>;
  /** Ids of the shields that have done them. */
  readonly shieldsDone: readonly string[];
  readonly coveredBy?: 'all';
}

interface WholePurge extends PurgeContent {
  readonly of: StartedPurge;
}

/** For `separated` too. */
export const combineTouches = getContentTouches;

/** As few as do the work of the given ones, which are of one property. */
export async function combine(purges: readonly StartedPurge[]): Promise<readonly CombinedPurges[]> {
  const combined: CombinedPurges[] = [];
  for (const alike of groups(purges, ({ progress }) => shieldsDone(progress).join(' '))) {
    const values = alike.reduce((sum, { jobCount }) => sum + jobCount, 0);
    if (values > maximumValues && alike.length > 1) combined.push(await covering(alike));
    else combined.push(...groups(await withContents(alike), likeness).map(together));
  }
  return combined;
}

/** Each of its purges by itself, so that one which an edge refuses takes no other with it. */
export async function separated({ of }: CombinedPurges): Promise<readonly CombinedPurges[]> {
  return (await withContents(of)).map((whole) => together([whole]));
}

/** Without ever holding the values: there may be millions of them. */
async function covering(of: NonEmpty<StartedPurge>): Promise<CombinedPurges> {
  const hostnames = new Set<string>();
  await inParallel(of, concurrentReads, async (purge) => {
    const found = await getHostnames(purge);
    if (found.length === 0) logMissing(purge);
    for (const hostname of found) hostnames.add(hostname);
  });
  return {
    purge: { type: 'all', soft: of.every(({ soft }) => soft), hostnames: [...hostnames], values: [] },
    of,
    shieldsDone: shieldsDone(of[0].progress),
    coveredBy: 'all',
  };
}

async function withContents(purges: readonly StartedPurge[]): Promise<readonly WholePurge[]> {
  const contents = await inParallel(purges, concurrentReads, getContent);
  return purges.flatMap((of, index) => {
    const content = contents[index];
    if (!content) logMissing(of);
    return content ? [{ of, ...content }] : [];
  });
}

/** Nobody can bring it: the API did not acknowledge it, or it has expired; or its content is on its way. */
function logMissing({ propertyId, id }: StartedPurge): void {
  log('warn', 'purge without content', { propertyId, purgeIds: [id] });
}

function likeness({ of: { type, soft }, hostnames }: WholePurge): string {
  return JSON.stringify([type, soft, hostnames]);
}

function together(alike: NonEmpty<WholePurge>): CombinedPurges {
  const [{ of: first, hostnames }, ...others] = alike;
  const values = [...new Set(alike.flatMap((purge) => purge.values))];
  return {
    purge: { type: first.type, soft: first.soft, hostnames, values },
    of: [first, ...others.map(({ of }) => of)],
    shieldsDone: shieldsDone(first.progress),
  };
}

function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly NonEmpty<Item>[] {
  return [...Map.groupBy(items, keyOf).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others] as const],
  );
}
