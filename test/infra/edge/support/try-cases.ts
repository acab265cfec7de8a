import { eventually } from '../../../support/eventually.ts';
import type { Bench } from './bench.ts';
import { type Ask, contentOf, type EdgeResponse } from './edge-client.ts';
import type { GeneratedCase } from './generated-case.ts';
import type { GeneratedPage } from './generated-page.ts';
import { isPurged } from './purge-model.ts';

/** What went wrong, as texts that say where; and how much was tried. */
interface Outcome {
  /** Served after the purge that named it. */
  readonly stale: string[];
  /** Gone although no purge named it. */
  readonly overPurged: string[];
  readonly notStored: string[];
  readonly tried: { stored: number; purged: number };
}

/** One way of asking for a page, before and after the purge of its case. */
interface Visit {
  readonly page: GeneratedPage;
  readonly ask: Ask;
  readonly isPurged: boolean;
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

function visitsOf({ pages, purge }: GeneratedCase): readonly Visit[] {
  return pages.flatMap((page) =>
    asksOf(page).map((ask) => ({
      page,
      ask,
      isPurged: isPurged(purge, page),
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
  if (visit.isPurged) {
    outcome.tried.purged += 1;
    if (!(await isRenewed(bench, visit, response))) outcome.stale.push(visit.where);
  } else if (wasStored && !response.isHit) {
    outcome.overPurged.push(visit.where);
  }
}

/** Stores every page, renews the origin's content, purges, and looks what is served then. */
async function tryBatch(bench: Bench, cases: readonly GeneratedCase[], outcome: Outcome): Promise<void> {
  const visits = cases.flatMap(visitsOf);
  await Promise.all(visits.map(({ ask }) => bench.client.ask(ask)));
  const wereStored = await Promise.all(visits.map(({ ask }) => bench.client.isHit(ask)));
  bench.origin.epoch += 1;
  await Promise.all(cases.map(({ purge }) => bench.purge(purge)));
  await Promise.all(visits.map((visit, index) => judge(bench, visit, wereStored[index] ?? false, outcome)));
}

/** Tries cases on one edge and one origin, many at a time. */
export async function tryCases(
  bench: Bench,
  cases: readonly GeneratedCase[],
  batchSize: number,
): Promise<Outcome> {
  const outcome: Outcome = { stale: [], overPurged: [], notStored: [], tried: { stored: 0, purged: 0 } };
  for (let start = 0; start < cases.length; start += batchSize) {
    await tryBatch(bench, cases.slice(start, start + batchSize), outcome);
  }
  return outcome;
}
