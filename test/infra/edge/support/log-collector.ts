import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { addressOf } from './listen.ts';

/** In the API's place: keeps each batch's lines once, by its key, and responds as it is told. */
export class LogCollector {
  readonly lines: string[] = [];
  readonly tokens = new Set<string>();
  /** Keys that came with two different bodies. */
  readonly conflicts: string[] = [];
  repeated = 0;
  status = 200;
  /** Responses that come first, one for each request, before anything is kept. */
  readonly first: ((response: ServerResponse) => void)[] = [];
  /** The status by which a batch is refused for what it holds. */
  refusalOf: (body: string) => number | undefined = () => undefined;
  private readonly bodies = new Map<string, { readonly hash: string; readonly size: number }>();
  private readonly server: Server = createServer((request, response) => {
    this.handle(request, response).catch(() => response.destroy());
  });

  start(): Promise<string> {
    return addressOf(this.server);
  }

  /** Numbers of lines of the batches that are kept. */
  get batchSizes(): readonly number[] {
    return [...this.bodies.values()].map(({ size }) => size).filter((size) => size > 0);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = gunzipSync(await buffer(request)).toString();
    this.tokens.add(String(request.headers['x-edge-token']));
    const respond = this.first.shift();
    if (respond) return respond(response);
    const status = this.refusalOf(body) ?? this.status;
    if (status === 200) this.keep(String(request.headers['idempotency-key']), body);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: 'told to', data: { rejected: 0, errors: [] } }));
  }

  private keep(key: string, body: string): void {
    const hash = createHash('sha256').update(body).digest('hex');
    const known = this.bodies.get(key);
    if (known?.hash === hash) this.repeated += 1;
    else if (known) this.conflicts.push(key);
    else {
      const lines = body.split('\n').filter((line) => line !== '');
      this.lines.push(...lines);
      this.bodies.set(key, { hash, size: lines.length });
    }
  }
}
