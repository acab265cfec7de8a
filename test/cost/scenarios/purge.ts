import { addEdge, removeEdge } from '../../../shared/edge/edge-table.ts';
import { RecordingEdge } from '../../support/recording-edge.ts';
import type { CostRun } from '../cost-run.ts';
import { type Measured, measure } from '../measure.ts';
import { Site } from '../site.ts';

const batchSize = 10;
/** How often what differs little is done. */
const fewPurges = 60;

type Edges = readonly RecordingEdge[];

/** Purges of one URL each, by what makes one dearer or cheaper. */
export async function measurePurges(run: CostRun): Promise<readonly Measured[]> {
  const { keys } = run;
  const [busy, quiet] = [await Site.makeBusy(run), await Site.make(run)];
  const sameKey = keys.map(() => run.apiKey);
  const oneByOne = (name: string, edges: Edges, used: readonly string[], site = busy): Promise<Measured> =>
    measurePurge(run, { name, edges, used, site }, () => site.purgeOneByOne(used));
  const inBatches = (name: string, edges: Edges, used: readonly string[]): Promise<Measured> =>
    measurePurge(run, { name, edges, used, site: busy }, () => purgeInBatches(busy, used));
  const onOneEdge = await withEdges(1, async (edges) => [
    await oneByOne('one edge, one by one', edges, keys),
    await inBatches('one edge, in batches of ten', edges, keys),
    await oneByOne('one by one, with a key in use all the time', edges, sameKey.slice(0, fewPurges)),
    await inBatches('in batches of ten, with a key in use all the time', edges, sameKey),
    await oneByOne('one by one, of a property with few purges', edges, keys.slice(0, fewPurges), quiet),
  ]);
  const onTen = await withEdges(10, (edges) => oneByOne('ten edges, one by one', edges, keys));
  return [...onOneEdge, onTen];
}

interface Purging {
  readonly name: string;
  readonly edges: Edges;
  /** A key for each purge. */
  readonly used: readonly string[];
  readonly site: Site;
}

function measurePurge(
  run: CostRun,
  { name, edges, used, site }: Purging,
  work: () => Promise<void>,
): Promise<Measured> {
  const before = (): Promise<void> => warmUp(run, site);
  return measure(run, { name: `purges, ${name}`, count: used.length, edges, before, work });
}

async function purgeInBatches(site: Site, keys: readonly string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += batchSize)
    await site.purgeAtOnce(keys.slice(from, from + batchSize));
}

/** Makes the environments, which then know their secrets and have their connections. */
async function warmUp({ spareKeys }: CostRun, site: Site): Promise<void> {
  await site.purgeAtOnce(spareKeys.slice(0, batchSize));
  await site.purgeOneByOne(spareKeys.slice(batchSize));
}

async function withEdges<Result>(count: number, work: (edges: Edges) => Promise<Result>): Promise<Result> {
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
