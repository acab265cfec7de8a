import { urlKey } from '../../shared/edge/cache-keys.ts';
import { addEdge, removeEdge } from '../../shared/edge/edge-table.ts';
import { newId } from '../../shared/ground/id.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { RecordingEdge } from '../support/recording-edge.ts';
import { percentile, withLocalRun } from './run.ts';

/**
 * How long after it is asked for a purge is done on the last of the 10 edges in whose scope it is, where there are no
 * others and where there are 990 of as many other scopes, in turn.
 */
const inScope = 10;
const others = 990;
const turns = 2;
const purges = 60;
const addedAtOnce = 16;

const edge = await new RecordingEdge().start();
const ids = Array.from({ length: others }, (_, index) => `other-${index}`);

function add(id: string, accounts: readonly string[], properties: readonly string[]): Promise<void> {
  const settings = { id, driver: 'varnish', tier: 'edge', url: edge.url, secret: 's'.repeat(32) } as const;
  return addEdge({ ...settings, scope: { accounts, properties } }, 'hash');
}

await withLocalRun(async (run) => {
  const api = new ApiClient(run.baseUrl, run.apiKey);
  await removeEdge('embedded');
  for (let index = 0; index < inScope; index += 1) await add(`own-${index}`, [run.accountId], []);
  let number = 0;

  async function purge(): Promise<number> {
    number += 1;
    const url = `/${number}`;
    const key = urlKey(run.hostname, url);
    const startedAt = performance.timeOrigin + performance.now();
    await api.post(`/api/property/${run.propertyId}/purge`, { type: 'url', urls: [url] });
    const times = await eventually(
      async () => edge.purged.get(key) ?? [],
      ({ length }) => length === inScope,
    );
    return Math.max(...times) - startedAt;
  }

  const medians: { few: number[]; many: number[] } = { few: [], many: [] };
  const measure = async (): Promise<number> => {
    const times: number[] = [];
    for (let count = 0; count < purges; count += 1) times.push(await purge());
    return percentile(times, 0.5);
  };
  await measure();
  for (let turn = 0; turn < turns; turn += 1) {
    medians.few.push(await measure());
    await inParallel(ids, addedAtOnce, (id) => add(id, [], [newId()]));
    medians.many.push(await measure());
    await inParallel(ids, addedAtOnce, removeEdge);
  }
  const [few, many] = [percentile(medians.few, 0.5), percentile(medians.many, 0.5)];
  console.log(`medians of ${purges} purges: ${JSON.stringify(medians)}`);
  console.log(
    `${inScope} edges: ${few.toFixed(1)} ms, ${inScope + others}: ${many.toFixed(1)} ms, ratio ${(many / few).toFixed(2)}`,
  );
});
await edge.stop();
