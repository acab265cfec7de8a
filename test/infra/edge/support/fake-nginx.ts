import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import type { ConfigChange } from '../../../../infra/edge/agent/config-agent.d.mts';

/** The agent's side of a node's nginx: empty at its start. */
export class FakeNginx {
  /** Ids of properties in the order in which they came, by post. */
  readonly posts: string[][] = [];
  readonly has = new Set<string>();
  /** What it had when it was called ready. */
  hadWhenReady: ReadonlySet<string> | undefined;
  private readonly server: Server;

  /** @param respond says the status of each post; undefined for none, since it dies */
  constructor(respond: (changes: readonly ConfigChange[]) => number | undefined = () => 204) {
    this.server = createServer(async (request, response) => {
      const { changes, isReady } = (await json(request)) as Posted;
      this.posts.push(changes.map(({ propertyId }) => propertyId));
      const status = respond(changes);
      if (status === undefined) return void request.socket.destroy();
      if (status === 204) for (const { propertyId } of changes) this.has.add(propertyId);
      if (isReady) this.hadWhenReady ??= new Set(this.has);
      response.writeHead(status).end(status === 204 ? undefined : 'not so');
    });
  }

  /** As `run` does, it takes the place of one that was there before. */
  async start(socket: string): Promise<void> {
    rmSync(socket, { force: true });
    await new Promise<void>((resolve) => this.server.listen(socket, resolve));
  }

  /** Nobody is left to accept, and no socket. */
  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

interface Posted {
  readonly changes: readonly ConfigChange[];
  readonly isReady: boolean;
}
