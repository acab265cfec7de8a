import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inParallel } from '../../shared/ground/parallel.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { type Demo, startProgram } from '../support/program.ts';

/** Ten thousand purges from one key, as fast as this machine takes them: how many were refused, and lost. */
const burstSize = 10_000;
const atOnce = 40;

const folder = mkdtempSync(join(tmpdir(), 'cdn-management-burst-'));
const program = await startProgram(folder);
try {
  await burst(program.demo);
} finally {
  await program.stop('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

async function burst({ baseUrl, apiKey, propertyId }: Demo): Promise<void> {
  const api = new ApiClient(baseUrl, apiKey);
  const path = `/api/property/${propertyId}/purge`;
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
}
