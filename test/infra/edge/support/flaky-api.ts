import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { request as send } from 'undici';
import { addressOf } from './listen.ts';

interface Counts {
  readonly accepted: number;
  readonly rejected: number;
  readonly unknownHost: number;
}

/** Between a shipper and the API: away for a while, brings every third batch twice, loses responses of a quarter. */
export class FlakyApi {
  /** Lines of the batches that the API has taken, and what it said of them, by their keys. */
  readonly taken = new Map<string, { readonly lines: readonly string[]; readonly told: number }>();
  isAway = false;
  batches = 0;
  twice = 0;
  /** Batches that the API has counted, and whose response the shipper never saw. */
  lostResponses = 0;
  private readonly api: string;
  private readonly server: Server = createServer((request, response) => {
    this.handle(request, response).catch(() => response.destroy());
  });

  constructor(api: string) {
    this.api = api;
  }

  start(): Promise<string> {
    return addressOf(this.server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    if (this.isAway) return void response.destroy();
    this.batches += 1;
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const forward = () =>
      send(`${this.api}${request.url}`, { method: 'POST', headers: headers as Record<string, string>, body });
    if (this.batches % 3 === 1) {
      this.twice += 1;
      await (await forward()).body.dump();
    }
    const known = this.taken.size;
    const taken = await forward();
    const text = await taken.body.text();
    if (taken.statusCode === 200) this.take(request, body, JSON.parse(text).data);
    if (this.taken.size > known && known % 4 === 0) {
      this.lostResponses += 1;
      return void response.destroy();
    }
    response.writeHead(taken.statusCode, { 'content-type': 'application/json' });
    response.end(text);
  }

  private take({ headers }: IncomingMessage, body: Buffer, counts: Counts): void {
    const lines = gunzipSync(body)
      .toString()
      .split('\n')
      .filter((line) => line !== '');
    const told = counts.accepted + counts.rejected + counts.unknownHost;
    this.taken.set(String(headers['idempotency-key']), { lines, told });
  }
}
