import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { configDocument } from '../infra/edge/support/config-documents.ts';
import { ConfiguredNode } from '../infra/edge/support/configured-node.ts';
import { addressOf } from '../infra/edge/support/listen.ts';
import { compiledRealisticRules } from '../infra/edge/support/realistic-rules.ts';
import { eventually } from '../support/eventually.ts';
import { processTree } from '../support/process-tree.ts';
import { sendHits } from './hits.ts';
import { startPlainEdge } from './plain-edge.ts';
import { percentile } from './run.ts';

/**
 * Hits a second, and CPU a hit, of a whole node with 20 rules, against those of plain nginx in front of bare Varnish: the
 * same requests, in turn. Arguments go to the node's `run`.
 */
const hits = Number(process.env.HITS ?? 20_000);
const rounds = Number(process.env.ROUNDS ?? 15);
const connections = Number(process.env.CONNECTIONS ?? 32);

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

interface Measured {
  readonly microseconds: number[];
  readonly perSecond: number[];
}

async function measure(baseUrl: string, pids: readonly number[], to: Measured): Promise<void> {
  const processes = pids.flatMap(processTree);
  const before = ticksOf(processes);
  const startedAt = performance.now();
  await sendHits(baseUrl, requests, hits, connections);
  to.perSecond.push((hits / (performance.now() - startedAt)) * 1_000);
  to.microseconds.push(((ticksOf(processes) - before) * tickMicroseconds) / hits);
}

function ticksOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
}

const origin = createServer((_, response) => {
  response.writeHead(200, { 'cache-control': 'max-age=86400', 'content-length': body.length }).end(body);
});
const originUrl = await addressOf(origin);
const configured = new ConfiguredNode();
await configured.start({ flags: process.argv.slice(2) });
await configured.write(
  configDocument({
    propertyId: 'bench',
    hostnames: [{ hostname, claimedAt: 1 }],
    origin: { url: originUrl },
    rules: compiledRealisticRules(),
  }),
);
const plain = await startPlainEdge(originUrl);
const edges = [
  { baseUrl: plain.baseUrl, pids: plain.pids, measured: { microseconds: [], perSecond: [] } },
  {
    baseUrl: configured.node.baseUrl,
    pids: [configured.node.process.pid ?? 0],
    measured: { microseconds: [], perSecond: [] },
  },
];
for (const { baseUrl } of edges)
  await eventually(
    () =>
      sendHits(baseUrl, requests, requests.length * 10, connections).then(
        () => true,
        () => false,
      ),
    Boolean,
  );
for (let round = 0; round < rounds; round += 1)
  for (const { baseUrl, pids, measured } of edges) await measure(baseUrl, pids, measured);
const medians = edges.map(({ measured }) => ({
  cpu: percentile(measured.microseconds, 0.5),
  rate: percentile(measured.perSecond, 0.5),
}));
const [bare, node] = medians as [(typeof medians)[0], (typeof medians)[0]];
for (const [name, { cpu, rate }] of Object.entries({
  'plain nginx and bare Varnish': bare,
  'the node': node,
}))
  console.log(`${name}: ${cpu.toFixed(1)} µs of CPU a hit, ${rate.toFixed(0)} hits a second`);
console.log(
  `ratio of the medians: ${(node.cpu / bare.cpu).toFixed(2)} of the CPU, ${(node.rate / bare.rate).toFixed(2)} of the hits a second`,
);
await configured.stop();
await plain.stop();
origin.closeAllConnections();
origin.close();
