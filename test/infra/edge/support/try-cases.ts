import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Bench } from './bench.ts';
import { type Ask, contentOf, type EdgeResponse } from './edge-client.ts';
import type { GeneratedCase } from './generated-case.ts';
import type { GeneratedPage } from './generated-page.ts';
import { isPurged, isPurgedWithOthers, mayBePurged } from './purge-model.ts';
import { type QueryMode, sharedAs, wholeQuery } from './query-modes.ts';

/** What went wrong, as texts that say where; and how much was tried. */
interface Outcome {
  /** Served after the purge that named it. */
  readonly stale: string[];
  /** Gone although no purge named it. */
  readonly overPurged: string[];
  readonly notStored: string[];
  readonly tried: { stored: number; purged: number; shared: number };
}

/** One way of asking for a page, before and after the purge of its case. */
interface Visit {
  readonly page: GeneratedPage;
  readonly ask: Ask;
  readonly isPurged: boolean;
  /** A purge by URL may take all that a path has where queries are left out. */
  readonly mayBePurged: boolean;
  readonly isSoft: boolean;
  readonly where: string;
}

function asksOf({ spellings, variants, tags }: GeneratedPage): readonly Ask[] {
  const isVaried = variants.length > 0;
  const wish = { headers: { 'surrogate-key': tags.join(' '), ...(isVaried && { vary: 'x-variant' }) } };
  return spellings.flatMap(({ host, target }) =>
    (isVaried ? variants : ['']).map((variant) => ({
      hostname: host,
      target,
      headers: { 'x-variant': variant },
      wish,
    })),
  );
}

function visitsOf({ pages, purge }: GeneratedCase, mode: QueryMode): readonly Visit[] {
  return pages.flatMap((page) =>
    asksOf(page).map((ask) => ({
      page,
      ask,
      isPurged: isPurged(purge, page) || isPurgedWithOthers(purge, page, sharedAs(mode, ask), mode),
      mayBePurged: mayBePurged(purge, page, sharedAs(mode, ask)),
      isSoft: purge.soft,
      where: `${ask.hostname} ${ask.target} ${JSON.stringify({ tags: page.tags, purge })}`,
    })),
  );
}

/** A soft purge lets the stale object be served while it is refreshed, variant by variant. */
async function isRenewed(
  { client, origin }: Bench,
  { ask, isSoft }: Visit,
  response: EdgeResponse,
): Promise<boolean> {
  const isNew = (epoch: number) => epoch === origin.epoch;
  if (isNew(contentOf(response).epoch) || !isSoft) return isNew(contentOf(response).epoch);
  return isNew(await eventually(() => client.epoch(ask), isNew));
}

async function judge(bench: Bench, visit: Visit, wasStored: boolean, outcome: Outcome): Promise<void> {
  const response = await bench.client.ask(visit.ask);
  if (visit.page.isPlain && !wasStored) outcome.notStored.push(visit.where);
  if (wasStored) outcome.tried.stored += 1;
  if (!visit.isPurged) return;
  outcome.tried.purged += 1;
  if (!(await isRenewed(bench, visit, response))) outcome.stale.push(visit.where);
}

/** What was purged, be it softly, has been asked for since. */
async function judgeOthers({ client, origin }: Bench, visit: Visit, outcome: Outcome): Promise<void> {
  if ((await client.epoch(visit.ask)) !== origin.epoch) return;
  if (visit.mayBePurged) outcome.tried.shared += 1;
  else outcome.overPurged.push(visit.where);
}

/** Stores every page, renews the origin's content, purges, and looks what is served then. */
async function tryBatch(
  bench: Bench,
  visits: readonly Visit[],
  purges: readonly EdgePurge[],
  outcome: Outcome,
) {
  await Promise.all(visits.map(({ ask }) => bench.client.ask(ask)));
  const wereStored = await Promise.all(visits.map(({ ask }) => bench.client.isHit(ask)));
  bench.origin.epoch += 1;
  await Promise.all(purges.map((purge) => bench.purge(purge)));
  await Promise.all(visits.map((visit, index) => judge(bench, visit, wereStored[index] ?? false, outcome)));
  const others = visits.filter((visit, index) => wereStored[index] && !visit.isPurged);
  await Promise.all(others.map((visit) => judgeOthers(bench, visit, outcome)));
}

/** Tries cases on one edge and one origin, many at a time. */
export async function tryCases(
  bench: Bench,
  cases: readonly GeneratedCase[],
  batchSize: number,
  mode = wholeQuery,
): Promise<Outcome> {
  const tried = { stored: 0, purged: 0, shared: 0 };
  const outcome: Outcome = { stale: [], overPurged: [], notStored: [], tried };
  for (let start = 0; start < cases.length; start += batchSize) {
    const batch = cases.slice(start, start + batchSize);
    const visits = batch.flatMap((given) => visitsOf(given, mode));
    await tryBatch(
      bench,
      visits,
      batch.map(({ purge }) => purge),
      outcome,
    );
  }
  return outcome;
}
