import { createServer } from 'node:http';
import { configDocument } from '../infra/edge/support/config-documents.ts';
import { ConfiguredNode } from '../infra/edge/support/configured-node.ts';
import { addressOf } from '../infra/edge/support/listen.ts';
import { compiledRealisticRules } from '../infra/edge/support/realistic-rules.ts';
import { eventually } from '../support/eventually.ts';
import { hostname, http1Requests, page, targets } from './hit-requests.ts';
import { connectTo, sendHits } from './hits.ts';
import { startPlainEdge } from './plain-edge.ts';
import { Measured } from './processor-time.ts';

/**
 * Hits a second, and CPU a hit, of a whole node with 20 rules, against those of plain nginx in front of bare Varnish: the
 * same requests, in turn. Arguments go to the node's `run`.
 */
const hits = Number(process.env.HITS ?? 20_000);
const rounds = Number(process.env.ROUNDS ?? 15);
const connections = Number(process.env.CONNECTIONS ?? 32);

const origin = createServer((_, response) => {
  response.writeHead(200, { 'cache-control': 'max-age=86400', 'content-length': page.length }).end(page);
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
  { open: connectTo(plain.baseUrl), pids: plain.pids, measured: new Measured() },
  {
    open: connectTo(configured.node.baseUrl),
    pids: [configured.node.process.pid ?? 0],
    measured: new Measured(),
  },
] as const;
for (const { open } of edges)
  await eventually(
    () =>
      sendHits(open, http1Requests, targets.length * 10, connections).then(
        () => true,
        () => false,
      ),
    Boolean,
  );
for (let round = 0; round < rounds; round += 1)
  for (const { open, pids, measured } of edges)
    await measured.measure(pids, hits, () => sendHits(open, http1Requests, hits, connections));
const [bare, node] = edges;
console.log(`plain nginx and bare Varnish: ${bare.measured}`);
console.log(`the node: ${node.measured}`);
console.log(`ratio of the medians: ${node.measured.ratioTo(bare.measured)}`);
await configured.stop();
await plain.stop();
origin.closeAllConnections();
origin.close();
