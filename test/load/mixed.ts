import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percentile } from '../bench/support/medians.ts';
import { ApiClient, type ApiResponse } from '../support/api-client.ts';
import { residentMegabytes } from '../support/process-tree.ts';
import { type Demo, startProgram } from '../support/program.ts';

/** A minute of mixed requests to a local run: how many it serves, how soon, and that it refuses none. */
const seconds = 60;
const warmUpSeconds = 10;
const atOnce = 16;

interface Served {
  readonly status: number;
  readonly milliseconds: number;
}

const folder = mkdtempSync(join(tmpdir(), 'cdn-management-mixed-'));
const program = await startProgram(folder);
const resident = (): number => Math.round(residentMegabytes(program.process.pid ?? 0));
try {
  const requests = requestsOf(program.demo);
  await load(requests, warmUpSeconds);
  const before = resident();
  const served = await load(requests, seconds);
  report(served, before, resident());
} finally {
  await program.stop('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

/** In turn: of ten, eight purges, one status of the last purge, and one of many others. */
function requestsOf({ baseUrl, apiKey, accountId, propertyId }: Demo): () => Promise<ApiResponse> {
  const api = new ApiClient(baseUrl, apiKey);
  const property = `/api/property/${propertyId}`;
  const others = [
    () => api.get('/api/account'),
    () => api.get('/api/property'),
    () => api.get(property),
    () => api.get(`${property}/purge`),
    () => api.get(`${property}/rules`),
    () => api.post(`${property}/rules/test`, { url: 'https://demo.localhost/news' }),
    () => api.get('/api/statistics'),
    () => api.get(`/api/tickets?accountId=${accountId}`),
    () => api.get(`/API/Property/${propertyId}`),
  ];
  let number = 0;
  let lastPurge = '';
  const purge = async (): Promise<ApiResponse> => {
    const response = await api.post(`${property}/purge`, { type: 'url', urls: [`/mixed/${number}`] });
    lastPurge = response.data?.purgeId ?? lastPurge;
    return response;
  };
  return () => {
    number += 1;
    if (number % 10 === 8 && lastPurge) return api.get(`${property}/purge/${lastPurge}`);
    if (number % 10 === 9) return others[Math.floor(number / 10) % others.length]?.() ?? purge();
    return purge();
  };
}

async function load(request: () => Promise<ApiResponse>, forSeconds: number): Promise<readonly Served[]> {
  const served: Served[] = [];
  const end = performance.now() + forSeconds * 1_000;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const startedAt = performance.now();
      const { status } = await request();
      served.push({ status, milliseconds: performance.now() - startedAt });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return served;
}

function report(served: readonly Served[], before: number, after: number): void {
  const times = served.map(({ milliseconds }) => milliseconds);
  const [p50, p99] = [percentile(times, 0.5).toFixed(0), percentile(times, 0.99).toFixed(0)];
  const failed = Object.entries(Object.groupBy(served, ({ status }) => status))
    .filter(([status]) => status !== '200')
    .map(([status, all]) => `${all?.length} with ${status}`);
  console.log(
    `${(served.length / seconds).toFixed(0)} requests a second, ${atOnce} at a time: p50 ${p50} ms, p99 ${p99} ms`,
  );
  console.log(
    `errors: ${failed.join(', ') || 0} of ${served.length}; memory: ${before} MB at the start, ${after} MB at the end`,
  );
  if (failed.length > 0) process.exitCode = 1;
}
