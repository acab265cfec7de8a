import { inParallel } from '../../shared/ground/parallel.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { withLocalRun } from './run.ts';

/** Ten thousand purges from one key, as fast as this machine takes them: how many were refused, and lost. */
const burstSize = 10_000;
const atOnce = 40;

await withLocalRun(async (run) => {
  const api = new ApiClient(run.baseUrl, run.apiKey);
  const path = `/api/property/${run.propertyId}/purge`;
  const startedAt = performance.now();
  const numbers = Array.from({ length: burstSize }, (_, number) => number);
  const responses = await inParallel(numbers, atOnce, (number) =>
    api.post(path, { type: 'url', urls: [`/burst/${number}`] }),
  );
  const acceptedSeconds = (performance.now() - startedAt) / 1000;
  const accepted = responses.filter(({ status }) => status === 200);
  const completed = await eventually(
    async () => (await api.get(`${path}?status=completed`)).envelope.totalRecords,
    (count) => count >= Math.min(accepted.length, 10_000),
    300_000,
  );
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    `${burstSize} purges: ${accepted.length} accepted in ${acceptedSeconds.toFixed(0)} s, ${completed} completed after ${seconds.toFixed(0)} s`,
  );
});
process.exit();
