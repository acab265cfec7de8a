import type { EdgePurge } from '../edge/driver.ts';
import { inParallel } from '../ground/parallel.ts';
import {
  getContent,
  getContentTouches,
  getHostnames,
  type PurgeContent,
} from '../purge/purge-content-table.ts';
import type { StartedPurge } from '../purge/started-purge-table.ts';

/** Past this many missed values of a property, one purge of all of it stands for them. */
const maximumMissedValues = 1_000;

const concurrentReads = 16;

/** Missed purges that go to the edge as one. */
export interface CatchUpGroup {
  readonly purge: EdgePurge;
  readonly of: readonly StartedPurge[];
  readonly coveredBy?: 'all';
}

interface MissedPurge extends PurgeContent {
  readonly of: StartedPurge;
}

/** Of separated too. */
export const groupMissedTouches = getContentTouches;

/** As few purges as do the work of the missed ones of a property. */
export async function groupMissed(purges: readonly StartedPurge[]): Promise<readonly CatchUpGroup[]> {
  const values = purges.reduce((sum, { jobCount }) => sum + jobCount, 0);
  if (values > maximumMissedValues && purges.length > 1) return [await covering(purges)];
  const missed = await withContents(purges);
  return Object.values(Object.groupBy(missed, likeness)).flatMap((alike = []) => {
    const [first, ...others] = alike;
    return first ? [together([first, ...others])] : [];
  });
}

/** Each of its purges by itself, so that one which an edge refuses takes no other with it. */
export async function separated({ of }: CatchUpGroup): Promise<readonly CatchUpGroup[]> {
  return (await withContents(of)).map((missed) => together([missed]));
}

/** Without ever holding the values: there may be millions of them. */
async function covering(purges: readonly StartedPurge[]): Promise<CatchUpGroup> {
  const hostnames = new Set<string>();
  await inParallel(purges, concurrentReads, async (purge) => {
    for (const hostname of await getHostnames(purge)) hostnames.add(hostname);
  });
  return {
    purge: { type: 'all', soft: purges.every(({ soft }) => soft), hostnames: [...hostnames], values: [] },
    of: purges,
    coveredBy: 'all',
  };
}

/** One whose content is gone has expired with it. */
async function withContents(purges: readonly StartedPurge[]): Promise<readonly MissedPurge[]> {
  const contents = await inParallel(purges, concurrentReads, getContent);
  return purges.flatMap((of, index) => {
    const content = contents[index];
    return content ? [{ of, ...content }] : [];
  });
}

function likeness({ of: { type, soft }, hostnames }: MissedPurge): string {
  return JSON.stringify([type, soft, hostnames]);
}

function together(alike: readonly [MissedPurge, ...MissedPurge[]]): CatchUpGroup {
  const [{ of, hostnames }] = alike;
  const values = union(alike.map((purge) => purge.values));
  return {
    purge: { type: of.type, soft: of.soft, hostnames, values },
    of: alike.map((purge) => purge.of),
  };
}

function union(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}
