import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operate } from '../../infra/operator/operate.ts';
import { hostKey, urlKey } from '../../shared/edge/cache-keys.ts';
import { ApiClient } from '../support/api-client.ts';
import { residentMegabytes } from '../support/process-tree.ts';
import { type Demo, startProgram } from '../support/program.ts';
import { PurgeClient } from '../support/purge-client.ts';
import { RecordingEdge } from '../support/recording-edge.ts';
import { edgeStates } from '../support/registry.ts';
import { startFaults } from './soak/faults.ts';
import { Ledger } from './soak/ledger.ts';
import { startTraffic } from './soak/traffic.ts';

/** Whether the local run holds out under mixed load, with faults on in every other minute. */
const minutes = Number(process.env.SOAK_MINUTES ?? 15);
/** From then on the memory must be flat. */
const warmMinutes = Math.min(3, Math.floor(minutes / 2));
const mostGrowth = 1.1;
const sampleMilliseconds = 1_000;
const settleMilliseconds = 420_000;

const folder = mkdtempSync(join(tmpdir(), 'cdn-management-soak-'));
process.env.DATA_DIR = folder;
const program = await startProgram(folder);
const pid = program.process.pid ?? 0;
const edges = await Promise.all([0, 1, 2].map(() => new RecordingEdge().start()));
const ledger = new Ledger();
try {
  const tokens = await Promise.all(edges.map(register));
  const loggedHost = await makeLoggedProperty(program.demo);
  let isFaulty = false;
  const endFaults = startFaults(pid, edges, () => isFaulty);
  const endTraffic = startTraffic({ demo: program.demo, loggedHost, edgeToken: tokens[0] ?? '' }, ledger);
  const held: number[] = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    isFaulty = minute % 2 === 0 && minute < minutes;
    held.push(median(await samplesOfAMinute()));
    const { open, lagging } = await backlog();
    const faults = isFaulty ? 'on' : 'off';
    console.table([{ minute, faults, ...ledger.takeCounts(), megabytes: held.at(-1), open, lagging }]);
  }
  isFaulty = false;
  await endTraffic();
  await endFaults();
  await judge(program.demo, loggedHost, held);
} finally {
  await program.stop('SIGTERM');
  await Promise.all(edges.map((edge) => edge.stop()));
  rmSync(folder, { recursive: true, force: true });
}

async function register(edge: RecordingEdge, index: number): Promise<string> {
  const args = ['edge', 'add', '--id', `soak-${index}`, '--driver', 'varnish', '--url', edge.url, '--json'];
  const { status, stdout, stderr } = await operate(args);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout).token;
}

/** A property whose statistics nothing but the soak's own batches adds to. */
async function makeLoggedProperty({ baseUrl, apiKey }: Demo): Promise<string> {
  const host = 'logged.example.com';
  const body = { name: 'Logged', hostnames: [host], origin: { url: 'http://127.0.0.1:9' } };
  const { status, text } = await new ApiClient(baseUrl, apiKey).post('/api/property', body);
  if (status !== 201) throw new Error(text);
  return host;
}

async function samplesOfAMinute(): Promise<readonly number[]> {
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(Math.round(residentMegabytes(pid))), sampleMilliseconds);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  clearInterval(sampling);
  return samples;
}

function median(samples: readonly number[]): number {
  return [...samples].sort((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0;
}

/** Purges that are not done, and edges that have missed some. */
async function backlog(): Promise<{ readonly open: string; readonly lagging: string }> {
  const { baseUrl, apiKey, propertyId } = program.demo;
  const api = new ApiClient(baseUrl, apiKey);
  const counted = async (status: string) => {
    const response = await api.get(`/api/property/${propertyId}/purge?status=${status}&pageSize=1`);
    return response.status === 200 ? response.envelope.totalRecords : Number.NaN;
  };
  const open = `${await counted('queued')} queued, ${await counted('running')} running`;
  const states = await edgeStates();
  const lagging = [...states].flatMap(([id, state]) => (state.lagging ? [id] : [])).join(' ') || 'none';
  return { open, lagging };
}

/** What was acknowledged must be there, once, and every edge must have got it. */
async function judge(
  { baseUrl, apiKey, propertyId, accountId }: Demo,
  host: string,
  held: readonly number[],
) {
  const api = new ApiClient(baseUrl, apiKey);
  const purges = new PurgeClient(api, propertyId);
  const ids = [...ledger.purges.values()];
  const from = performance.now();
  await purges.untilAllAre(ids, 'completed', settleMilliseconds).catch((error: unknown) => {
    ledger.wrong.push(`purges that do not end: ${String(error).slice(0, 200)}`);
  });
  console.log(
    `all ${ids.length} purges done ${Math.round((performance.now() - from) / 1000)} s after the end`,
  );
  const lost = [...ledger.purges.keys()].filter((url) => !edges.every((edge) => hasPurged(edge, url)));
  const logged = (await api.get('/api/property')).data.items.find(({ hostnames }: { hostnames: string[] }) =>
    hostnames.includes(host),
  );
  const { requests } = (await api.get(`/api/property/${logged.id}/statistics`)).data.totals;
  const { totalRecords: tickets } = (await api.get(`/api/tickets?accountId=${accountId}`)).envelope;
  const numbers = new Set(ledger.ticketNumbers);
  const growth = Math.max(...held.slice(warmMinutes)) / (held[warmMinutes] ?? 1);
  const checks = {
    lost: [lost.length, 0],
    wrong: [ledger.wrong.length, 0],
    'log lines counted': [requests, ledger.loggedLines],
    'tickets by their numbers': [numbers.size, tickets],
    'highest number': [Math.max(...numbers), tickets],
  } as const;
  console.table(
    Object.entries(checks).map(([check, [seen, meant]]) => ({ check, seen, meant, holds: seen === meant })),
  );
  console.log(`memory after minute ${warmMinutes}: grew by ${Math.round((growth - 1) * 100)} % at most`);
  for (const wrong of ledger.wrong.slice(0, 20)) console.log(wrong);
  const holds = Object.values(checks).every(([seen, meant]) => seen === meant) && growth <= mostGrowth;
  process.exitCode = holds ? 0 : 1;
}

/** By itself, or with all of the property where the edge had missed too much. */
function hasPurged({ purged }: RecordingEdge, url: string): boolean {
  const { hostname } = program.demo;
  return purged.has(urlKey(hostname, url)) || purged.has(hostKey(hostname));
}
