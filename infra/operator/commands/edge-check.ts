import { asynchronousDrivers } from '../../../shared/edge/asynchronous-drivers.ts';
import { EdgeFailure } from '../../../shared/edge/driver.ts';
import { immediateDrivers } from '../../../shared/edge/immediate-drivers.ts';
import { openEdges } from '../../../shared/edge/registered-edges.ts';
import { allEdges } from '../../../shared/edge/registry.ts';
import { notFound } from '../../../shared/ground/api-error.ts';
import { FailedResult } from './command.ts';

type Checked = Readonly<{ id: string; ok: boolean; detail: string }>;

/**
 * Asks one edge, or all, whether they would obey.
 * @throws FailedResult where one would not
 */
export async function checkEdges(id: string | undefined) {
  const { immediate, asynchronous } = await openEdges(await allEdges());
  const isMeant = (edge: { readonly id: string }): boolean => id === undefined || edge.id === id;
  const results = await Promise.all([
    ...immediate
      .filter(isMeant)
      .map((edge) => check(edge.id, () => immediateDrivers[edge.driver].check(edge))),
    ...asynchronous
      .filter(isMeant)
      .map((edge) => check(edge.id, () => asynchronousDrivers[edge.driver].check(edge))),
  ]);
  results.sort((one, other) => (one.id < other.id ? -1 : 1));
  const [only] = results;
  if (id !== undefined && !only) throw notFound('Edge');
  const printable = id !== undefined && only ? only : results;
  const failed = results.filter(({ ok }) => !ok);
  if (failed.length === 0) return printable;
  throw new FailedResult(
    printable,
    `Not usable: ${failed.map((edge) => `${edge.id} (${edge.detail})`).join(', ')}.`,
  );
}

/** @param ask asks the edge, and says what its yes means */
async function check(id: string, ask: () => Promise<string>): Promise<Checked> {
  try {
    return { id, ok: true, detail: await ask() };
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    return { id, ok: false, detail: error.message };
  }
}
