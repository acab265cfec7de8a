import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { configDocument } from '../infra/edge/support/config-documents.ts';
import { ConfiguredNode } from '../infra/edge/support/configured-node.ts';
import { addressOf } from '../infra/edge/support/listen.ts';
import { compiledRealisticRules } from '../infra/edge/support/realistic-rules.ts';
import { eventually } from '../support/eventually.ts';
import { processTree } from '../support/process-tree.ts';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { sendHits } from './support/hits.ts';
import { interleaved } from './support/medians.ts';
import { startPlainEdge } from './support/plain-edge.ts';

/**
 * CPU of a hit on a whole node with 20 rules, against that of plain nginx in front of bare Varnish, which are asked for
 * the same.
 */
export const benchmark: Benchmark = { unit: 'µs of CPU a hit', goal: 1.4, run };

const hits = 20_000;
const rounds = 15;
const connections = 32;

const hostname = 'bench.example';
const body = 'x'.repeat(2_000);

/** The kernel's unit of CPU in /proc, in microseconds. */
const tickMicroseconds = 10_000;

const targets = [
  ...Array.from({ length: 40 }, (_, number) => `/news/${number}.html`),
  ...Array.from({ length: 20 }, (_, number) => `/shop/product-${number}?color=red&size=${number}`),
  ...Array.from({ length: 20 }, (_, number) => `/images/${number}.webp`),
  ...Array.from({ length: 10 }, (_, number) => `/assets/${number}.js?v=12`),
  ...Array.from({ length: 10 }, (_, number) => `/landing/${number}?utm_source=mail&utm_campaign=${number}`),
];
const requests = targets.map((target) =>
  [
    `GET ${target} HTTP/1.1`,
    `Host: ${hostname}`,
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Language: en-US,en;q=0.5',
    'Accept-Encoding: gzip, deflate, br',
    'Referer: https://bench.example/',
    '\r\n',
  ].join('\r\n'),
);

/** Whoever serves, and the processes of it whose CPU counts. */
interface Server {
  readonly baseUrl: string;
  readonly pids: readonly number[];
}

async function microsecondsOfHit({ baseUrl, pids }: Server): Promise<number> {
  const processes = pids.flatMap(processTree);
  const before = ticksOf(processes);
  await sendHits(baseUrl, requests, hits, connections);
  return ((ticksOf(processes) - before) * tickMicroseconds) / hits;
}

function ticksOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
}

async function startNode(originUrl: string): Promise<ConfiguredNode> {
  const configured = new ConfiguredNode();
  await configured.start();
  await configured.write(
    configDocument({
      propertyId: 'bench',
      hostnames: [{ hostname, claimedAt: 1 }],
      origin: { url: originUrl },
      rules: compiledRealisticRules(),
    }),
  );
  return configured;
}

/** Until it has everything in its cache. */
function untilServed({ baseUrl }: Server): Promise<boolean> {
  const serves = () => sendHits(baseUrl, requests, requests.length * 10, connections).then(() => true);
  return eventually(() => serves().catch(() => false), Boolean);
}

async function run(): Promise<Measured> {
  const origin = createServer((_, response) => {
    response.writeHead(200, { 'cache-control': 'max-age=86400', 'content-length': body.length }).end(body);
  });
  const originUrl = await addressOf(origin);
  const configured = await startNode(originUrl);
  const node: Server = {
    baseUrl: configured.node.baseUrl,
    pids: [configured.node.process.pid ?? 0],
  };
  const plain = await startPlainEdge(originUrl);
  for (const server of [node, plain]) await untilServed(server);
  const measured = await interleaved(
    rounds,
    () => microsecondsOfHit(node),
    () => microsecondsOfHit(plain),
  );
  await configured.stop();
  await plain.stop();
  origin.closeAllConnections();
  origin.close();
  return measured;
}
