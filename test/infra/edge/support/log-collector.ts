import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { addressOf } from './listen.ts';

/** In the API's place: keeps each batch's lines once, by its key, and answers as it is told. */
export class LogCollector {
  readonly lines: string[] = [];
  readonly tokens = new Set<string>();
  /** Keys that came with two different bodies. */
  readonly conflicts: string[] = [];
  repeated = 0;
  status = 200;
  private readonly bodies = new Map<string, string>();
  private readonly server: Server = createServer((request, response) => {
    this.handle(request, response).catch(() => response.destroy());
  });

  start(): Promise<string> {
    return addressOf(this.server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = gunzipSync(await buffer(request)).toString();
    if (this.status === 200) this.keep(String(request.headers['idempotency-key']), body);
    this.tokens.add(String(request.headers['x-edge-token']));
    response.writeHead(this.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: 'told to', data: { rejected: 0, errors: [] } }));
  }

  private keep(key: string, body: string): void {
    const hash = createHash('sha256').update(body).digest('hex');
    const known = this.bodies.get(key);
    if (known === undefined) this.lines.push(...body.split('\n').filter((line) => line !== ''));
    else if (known === hash) this.repeated += 1;
    else this.conflicts.push(key);
    this.bodies.set(key, hash);
  }
}
