import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { listen } from '../../infra/local/host/listen.ts';
import { addEdge, removeEdge } from '../../shared/edge/edge-table.ts';
import { headers } from '../../shared/edge/purge-protocol.ts';
import type { EdgeTier } from '../../shared/edge/tier.ts';
import { isMistreated, type Mood, slowMilliseconds } from './moods.ts';
import { now } from './unix-time.ts';

/** An edge that speaks the purge protocol and remembers when it was asked for which key. */
export class RecordingEdge {
  /** Milliseconds of Unix time of each purge of a key that was done. */
  readonly purged = new Map<string, number[]>();
  requests = 0;
  private readonly sockets: Socket[] = [];
  mood: () => Mood = () => 'well';
  slowMilliseconds = slowMilliseconds;
  private readonly server: Server;
  port = 0;

  constructor() {
    this.server = createServer((request, response) => {
      this.requests += 1;
      const mood = this.mood();
      if (isMistreated(mood, request, response)) return;
      const respond = (): void => {
        if (request.headers[headers.mode] !== 'check') this.remember(String(request.headers[headers.keys]));
        response.end('{"removed":1}');
      };
      if (mood === 'slow') setTimeout(respond, this.slowMilliseconds);
      else respond();
    });
    this.server.on('connection', (socket) => this.sockets.push(socket));
  }

  /** As they come on the wire, but without encryption. */
  get receivedBytes(): number {
    return this.sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<this> {
    this.port = await listen(this.server, this.port, 'a port');
    return this;
  }

  /** From here on connections are refused, until it is started again. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private remember(keys: string): void {
    for (const key of keys.split(' ')) this.purged.set(key, [...(this.purged.get(key) ?? []), now()]);
  }
}

/** Starts edges and registers them, by their ids, in the place of the run's own. */
export async function serveByEdges(
  edges: Iterable<readonly [id: string, edge: RecordingEdge, tier?: EdgeTier]>,
): Promise<void> {
  await removeEdge('embedded');
  for (const [id, edge, tier = 'edge'] of edges) {
    await edge.start();
    await addEdge({ id, driver: 'varnish', tier, url: edge.url, secret: 's'.repeat(32) }, 'hash');
  }
}
