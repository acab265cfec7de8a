import { ApiClient } from '../../support/api-client.ts';
import type { CostRun } from '../cost-run.ts';
import { type Measured, measure } from '../measure.ts';
import { Site } from '../site.ts';

const propertyCount = 100;
const purgeCount = 100;

/** First pages of twenty records, of an account that has many. */
export async function measureLists(run: CostRun): Promise<readonly Measured[]> {
  const site = await Site.makeBusy(run);
  await site.purgeOneByOne(run.keys.slice(0, purgeCount));
  for (let index = 0; index < propertyCount; index += 1) await Site.make(run);
  return [
    await pages(run, 'pages of the purge history', site.purgePath),
    await pages(run, 'pages of properties', '/api/property'),
  ];
}

async function pages(run: CostRun, name: string, path: string): Promise<Measured> {
  const read = async (key: string): Promise<void> => {
    const { status } = await new ApiClient(run.baseUrl, key).get(path);
    if (status !== 200) throw new Error(`${path} responds with ${status}`);
  };
  await read(run.apiKey);
  return measure(run, {
    name,
    count: run.keys.length,
    work: async () => {
      for (const key of run.keys) await read(key);
    },
  });
}
