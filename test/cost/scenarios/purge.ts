import { addEdge, removeEdge } from '../../../shared/edge/edge-table.ts';
import { RecordingEdge } from '../../support/recording-edge.ts';
import type { CostRun } from '../cost-run.ts';
import { type Measured, measure } from '../measure.ts';
import { Site } from '../site.ts';

const batchSize = 10;
const fewPurges = 60;

/** Purges of one URL each, by what makes one dearer or cheaper. */
export async function measurePurges(run: CostRun): Promise<readonly Measured[]> {
  const [busy, quiet] = [await Site.makeBusy(run), await Site.make(run)];
  return [...(await onOneEdge(run, busy, quiet)), await onTenEdges(run, busy)];
}

async function onOneEdge(run: CostRun, busy: Site, quiet: Site): Promise<readonly Measured[]> {
  return withEdges(1, async (edges) => {
    const { keys } = run;
    await warmUp(run, busy);
    const few = keys.slice(0, fewPurges);
    const named = (what: string) => ({ name: `purges, ${what}`, edges });
    return [
      await measure(run, {
        ...named('one edge, one by one'),
        count: keys.length,
        work: () => busy.purgeOneByOne(keys),
      }),
      await measure(run, {
        ...named('one edge, in batches of ten'),
        count: keys.length,
        before: () => warmUp(run, busy),
        work: inBatches(busy, keys),
      }),
      await measure(run, {
        ...named('one by one, with a key in use all the time'),
        count: few.length,
        work: () => busy.purgeOneByOne(few.map(() => run.apiKey)),
      }),
      await measure(run, {
        ...named('in batches of ten, with a key in use all the time'),
        count: keys.length,
        work: inBatches(
          busy,
          keys.map(() => run.apiKey),
        ),
      }),
      await measure(run, {
        ...named('one by one, of a property with less than 10,000'),
        count: few.length,
        work: () => quiet.purgeOneByOne(few),
      }),
    ];
  });
}

function inBatches(site: Site, keys: readonly string[]): () => Promise<void> {
  return async () => {
    for (let from = 0; from < keys.length; from += batchSize)
      await site.purgeAtOnce(keys.slice(from, from + batchSize));
  };
}

function onTenEdges(run: CostRun, site: Site): Promise<Measured> {
  return withEdges(10, async (edges) => {
    await warmUp(run, site);
    return measure(run, {
      name: 'purges, ten edges, one by one',
      count: run.keys.length,
      edges,
      work: () => site.purgeOneByOne(run.keys),
    });
  });
}

/** Makes the environments, which then know their secrets and have their connections. */
async function warmUp(run: CostRun, site: Site): Promise<void> {
  await site.purgeAtOnce(run.spareKeys.slice(0, batchSize));
  await site.purgeOneByOne(run.spareKeys.slice(batchSize));
}

async function withEdges<Result>(
  count: number,
  work: (edges: readonly RecordingEdge[]) => Promise<Result>,
): Promise<Result> {
  const edges = Array.from({ length: count }, () => new RecordingEdge());
  for (const [index, edge] of edges.entries()) {
    const { url } = await edge.start();
    const secret = 's'.repeat(32);
    await addEdge({ id: `edge-${index}`, driver: 'varnish', tier: 'edge', url, secret }, 'hash');
  }
  const result = await work(edges);
  for (const index of edges.keys()) await removeEdge(`edge-${index}`);
  await Promise.all(edges.map((edge) => edge.stop()));
  return result;
}
