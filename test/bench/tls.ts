import { createServer } from 'node:http';
import { configDocument } from '../infra/edge/support/config-documents.ts';
import { ConfiguredNode } from '../infra/edge/support/configured-node.ts';
import { addressOf } from '../infra/edge/support/listen.ts';
import { compiledRealisticRules } from '../infra/edge/support/realistic-rules.ts';
import { TlsKit } from '../infra/edge/support/tls-kit.ts';
import { hostname, http1Requests, http2Requests, page, targets } from './hit-requests.ts';
import { connectTo, sendHits, sendHttp2Hits } from './hits.ts';
import { Measured } from './processor-time.ts';

/**
 * Hits a second, and CPU a hit, of a whole node with 20 rules, over TLS 1.3 by HTTP/1.1 and by HTTP/2, against those by plain
 * HTTP: the same requests on connections that are kept, in turn. Arguments go to the node's `run`.
 */
const hits = Number(process.env.HITS ?? 20_000);
const rounds = Number(process.env.ROUNDS ?? 15);
const connections = Number(process.env.CONNECTIONS ?? 32);

const origin = createServer((_, response) => {
  response.writeHead(200, { 'cache-control': 'max-age=86400', 'content-length': page.length }).end(page);
});
const tls = new TlsKit();
tls.put('bench.pem', [hostname]);
const configured = new ConfiguredNode(tls);
await configured.start({ flags: process.argv.slice(2) });
await configured.write(
  configDocument({
    propertyId: 'bench',
    hostnames: [{ hostname, claimedAt: 1 }],
    origin: { url: await addressOf(origin) },
    rules: compiledRealisticRules(),
  }),
);
const plain = connectTo(configured.node.baseUrl);
const secure = (protocol: string) => () => tls.connect(hostname, { ALPNProtocols: [protocol] });
const ways = {
  'plain HTTP': (count: number) => sendHits(plain, http1Requests, count, connections),
  'HTTP/1.1 over TLS': (count: number) => sendHits(secure('http/1.1'), http1Requests, count, connections),
  'HTTP/2 over TLS': (count: number) => sendHttp2Hits(secure('h2'), http2Requests, count, connections),
};
const measured = Object.entries(ways).map(([name, send]) => ({ name, send, times: new Measured() }));
for (const { send } of measured) await send(targets.length * 10);
for (let round = 0; round < rounds; round += 1)
  for (const { send, times } of measured)
    await times.measure([configured.node.process.pid ?? 0], hits, () => send(hits));
for (const { name, times } of measured) {
  const [first] = measured;
  console.log(`${name}: ${times}${first && times !== first.times ? `; ${times.ratioTo(first.times)}` : ''}`);
}
await configured.stop();
origin.closeAllConnections();
origin.close();
