import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inParallel } from '../../shared/ground/parallel.ts';
import { ApiClient } from '../support/api-client.ts';
import { residentMegabytes } from '../support/process-tree.ts';
import { type Demo, startProgram } from '../support/program.ts';
import { readmeBlock } from '../support/readme-blocks.ts';

/** Whether the local run is a light guest: what its processes may hold in memory, in megabytes. */
const goals = { 'after the examples': 600, 'at the peak of the requests': 1_200, 'a minute later': 800 };

const requests = 10_000;
const atOnce = 16;
const sampleMilliseconds = 250;

const folder = mkdtempSync(join(tmpdir(), 'cdn-management-memory-'));
const program = await startProgram(join(folder, '.local'));
const resident = () => residentMegabytes(program.process.pid ?? 0);
try {
  const script = readmeBlock('README.md › Call it › 1') + readmeBlock('README.md › Call it › 2');
  await promisify(execFile)('bash', ['-ec', script], { cwd: folder });
  show('after the examples', resident());
  show('at the peak of the requests', await peakWhile(sendMixed(program.demo)));
  await sleep(60_000);
  show('a minute later', resident());
} finally {
  await program.stop('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

function show(moment: keyof typeof goals, megabytes: number): void {
  console.log(`${moment}: ${Math.round(megabytes)} MB of at most ${goals[moment]} MB`);
  if (megabytes > goals[moment]) process.exitCode = 1;
}

async function peakWhile(work: Promise<void>): Promise<number> {
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, resident());
  }, sampleMilliseconds);
  await work.finally(() => clearInterval(sampling));
  return peak;
}

/** Reads, purges and misspelled paths in turn, as plugins and a panel would send them. */
async function sendMixed({ baseUrl, apiKey, accountId, propertyId }: Demo): Promise<void> {
  const api = new ApiClient(baseUrl, apiKey);
  const property = `/api/property/${propertyId}`;
  const kinds = [
    () => api.get('/api/account'),
    () => api.post(`${property}/purge`, { type: 'url', urls: ['/', '/news?page=2'] }),
    () => api.get('/api/property'),
    () => api.get(property),
    () => api.get(`/API/Property/${propertyId}`),
    () => api.get(`${property}/purge`),
    () => api.post(`${property}/rules/test`, { url: 'https://demo.localhost/news' }),
    () => api.get(`${property}/rules`),
    () => api.get('/api/account/api-keys'),
    () => api.get('/api/statistics'),
    () => api.get(`/api/tickets?accountId=${accountId}`),
    () => api.get('/swagger/v1/swagger.json'),
  ];
  const mixed = Array.from({ length: Math.ceil(requests / kinds.length) }, () => kinds).flat();
  const from = performance.now();
  const responses = await inParallel(mixed.slice(0, requests), atOnce, (send) => send());
  const seconds = Math.round((performance.now() - from) / 1000);
  // A machine that is busy with other things may make it ask for patience.
  const deferred = responses.filter(({ status }) => status === 503).length;
  const failed = responses.filter(({ status }) => status !== 200 && status !== 503);
  console.log(`${requests} requests in ${seconds} s; ${deferred} to be retried, ${failed.length} failed`);
  if (failed.length > 0) process.exitCode = 1;
}
