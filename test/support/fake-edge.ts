import { createServer, type IncomingMessage, type Server } from 'node:http';
import { listen } from '../../infra/local/host/listen.ts';
import { headers } from '../../shared/edge/purge-protocol.ts';

/** An edge of the purge protocol that obeys anybody, on a port that it keeps while it is away. */
export class FakeEdge {
  /** How it responds to a purge of these keys. */
  statusOf: (keys: string) => number | Promise<number> = () => 200;
  /** Keys of the purges that it was asked for, however it responded. */
  readonly asked: string[] = [];
  private port = 0;
  private server: Server | undefined;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.server = createServer(async (request, response) => {
      response.statusCode = await this.statusFor(request);
      response.end('{"removed":0}');
    });
    this.port = await listen(this.server, this.port, 'the fake edge');
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  private async statusFor(request: IncomingMessage): Promise<number> {
    const keys = String(request.headers[headers.keys] ?? '');
    if (request.headers[headers.mode] !== 'check') this.asked.push(keys);
    return this.statusOf(keys);
  }
}
