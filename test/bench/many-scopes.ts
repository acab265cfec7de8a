import { urlKey } from '../../shared/edge/cache-keys.ts';
import { addEdge, removeEdge } from '../../shared/edge/edge-table.ts';
import { newId } from '../../shared/ground/id.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import type { Demo } from '../support/program.ts';
import { RecordingEdge } from '../support/recording-edge.ts';
import { now } from '../support/unix-time.ts';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { withProgram } from './support/local-run.ts';
import { interleaved, median } from './support/medians.ts';

/**
 * How long after it is asked for a purge is done on the last of the 10 edges in whose scope it is, among 990 edges of as
 * many other scopes, against the same without those.
 */
export const benchmark: Benchmark = { unit: 'ms', goal: 1.2, run };

const inScope = 10;
const others = Array.from({ length: 990 }, (_, index) => `other-${index}`);
const turns = 3;
const purges = 60;
const addedAtOnce = 16;

function run(): Promise<Measured> {
  return withProgram(async (demo) => {
    const edge = await new RecordingEdge().start();
    const add = (id: string, accounts: readonly string[], properties: readonly string[]): Promise<void> => {
      const settings = {
        id,
        driver: 'varnish',
        tier: 'edge',
        url: edge.url,
        secret: 's'.repeat(32),
      } as const;
      return addEdge({ ...settings, scope: { accounts, properties } }, 'hash');
    };
    await removeEdge('embedded');
    for (let index = 0; index < inScope; index += 1) await add(`own-${index}`, [demo.accountId], []);
    const measured = await interleaved(
      turns,
      async () => {
        await inParallel(others, addedAtOnce, (id) => add(id, [], [newId()]));
        const time = await medianOfPurges(demo, edge);
        await inParallel(others, addedAtOnce, removeEdge);
        return time;
      },
      () => medianOfPurges(demo, edge),
    );
    await edge.stop();
    return measured;
  });
}

async function medianOfPurges(demo: Demo, edge: RecordingEdge): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < purges; count += 1) times.push(await purge(demo, edge));
  return median(times);
}

async function purge({ baseUrl, apiKey, propertyId, hostname }: Demo, edge: RecordingEdge): Promise<number> {
  const url = `/${newId()}`;
  const key = urlKey(hostname, url);
  const startedAt = now();
  await new ApiClient(baseUrl, apiKey).post(`/api/property/${propertyId}/purge`, {
    type: 'url',
    urls: [url],
  });
  const times = await eventually(
    async () => edge.purged.get(key) ?? [],
    ({ length }) => length === inScope,
  );
  return Math.max(...times) - startedAt;
}
