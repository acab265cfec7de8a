import { createServer } from 'node:http';
import { configDocument } from '../../infra/edge/support/config-documents.ts';
import { ConfiguredNode } from '../../infra/edge/support/configured-node.ts';
import { addressOf } from '../../infra/edge/support/listen.ts';
import { compiledRealisticRules } from '../../infra/edge/support/realistic-rules.ts';
import { TlsKit } from '../../infra/edge/support/tls-kit.ts';
import { eventually } from '../../support/eventually.ts';
import type { Measured } from './benchmark.ts';
import { hostname, http1Requests, http2Requests, page, targets } from './hit-requests.ts';
import { connectTo, sendHits, sendHttp2Hits } from './hits.ts';
import { interleaved } from './medians.ts';
import { microsecondsOf } from './processor-time.ts';

const hits = 20_000;
const rounds = 15;
const connections = 32;

export const hitUnit = 'µs of CPU a hit';

/** A way to ask for pages that are stored, and the processes whose CPU counts. */
export interface Way {
  readonly pids: readonly number[];
  send(count: number): Promise<void>;
}

/** A whole node with 20 rules, and its origin. */
interface PagesNode {
  readonly originUrl: string;
  /** Each over connections that are kept. */
  readonly ways: Readonly<Record<'plain' | 'http/1.1' | 'h2', Way>>;
  stop(): Promise<void>;
}

/** Takes pages in both ways; first until everything is stored. */
export async function compareHits(ours: Way, other: Way): Promise<Measured> {
  const serves = (way: Way) => way.send(targets.length * 10).then(() => true);
  for (const way of [ours, other]) await eventually(() => serves(way).catch(() => false), Boolean);
  const cpuOfHit = async ({ pids, send }: Way) => (await microsecondsOf(pids, () => send(hits))) / hits;
  return interleaved(
    rounds,
    () => cpuOfHit(ours),
    () => cpuOfHit(other),
  );
}

export async function startPagesNode(): Promise<PagesNode> {
  const origin = createServer((_, response) => {
    response.writeHead(200, { 'cache-control': 'max-age=86400', 'content-length': page.length }).end(page);
  });
  const tls = new TlsKit();
  tls.put('bench.pem', [hostname]);
  const configured = new ConfiguredNode(tls);
  const baseUrl = await configured.start();
  const originUrl = await addressOf(origin);
  const hostnames = [{ hostname, claimedAt: 1 }];
  const rules = compiledRealisticRules();
  await configured.write(
    configDocument({ propertyId: 'bench', hostnames, origin: { url: originUrl }, rules }),
  );
  const pids = [configured.node.process.pid ?? 0];
  const secure = (protocol: string) => () => tls.connect(hostname, { ALPNProtocols: [protocol] });
  return {
    originUrl,
    ways: {
      plain: http1Way(pids, connectTo(baseUrl)),
      'http/1.1': http1Way(pids, secure('http/1.1')),
      h2: { pids, send: (count) => sendHttp2Hits(secure('h2'), http2Requests, count, connections) },
    },
    async stop() {
      await configured.stop();
      origin.closeAllConnections();
      origin.close();
    },
  };
}

export function http1Way(pids: readonly number[], open: ReturnType<typeof connectTo>): Way {
  return { pids, send: (count) => sendHits(open, http1Requests, count, connections) };
}

/** CPU of a hit over TLS 1.3 against that of the same by plain HTTP. */
export async function overTls(protocol: 'http/1.1' | 'h2'): Promise<Measured> {
  const { ways, stop } = await startPagesNode();
  const measured = await compareHits(ways[protocol], ways.plain);
  await stop();
  return measured;
}
