import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf } from './listen.ts';

/** What a request asks the origin to respond with; it travels through the edge in a header. */
export interface Wish {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** `count` tags: `prefix` and a number each. */
  readonly tags?: { readonly prefix: string; readonly count: number };
  /** Respond to a conditional request with 304. */
  readonly isNotModified?: boolean;
  readonly delayMilliseconds?: number;
  /** Respond when the origin is told to. */
  readonly isHeld?: boolean;
  /** Added behind the content. */
  readonly paddingBytes?: number;
}

/** The content that the origin renders: it tells what was asked, and how old the response is. */
export interface Content {
  readonly epoch: number;
  readonly hostname: string;
  readonly target: string;
}

export const wishHeader = 'x-wish';

function wishOf({ headers }: IncomingMessage): Wish {
  const text = headers[wishHeader];
  return typeof text === 'string' ? JSON.parse(text) : {};
}

function tagHeader({ tags }: Wish): Record<string, string> {
  return tags
    ? { 'surrogate-key': Array.from({ length: tags.count }, (_, number) => tags.prefix + number).join(' ') }
    : {};
}

/** A web site whose whole content is renewed when `epoch` is raised; it reads whatever an edge lets through. */
export class TestOrigin {
  epoch = 1;
  requests = 0;
  notModified = 0;
  /** Requests that wait for `release`. */
  held = 0;
  /** Of the request that came last. */
  lastHeaders: IncomingHttpHeaders = {};
  lastTarget = '';
  /** Of every response, but where a wish has others. */
  protected readonly headers: Readonly<Record<string, string>> = {};
  private released = Promise.withResolvers<void>();
  private readonly server: Server = createServer(
    { insecureHTTPParser: true, maxHeaderSize: 128 * 1024 },
    (request, response) => this.respond(request, response),
  );

  /** @returns the base address */
  async start(): Promise<string> {
    this.server.keepAliveTimeout = 60_000;
    return addressOf(this.server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  protected async contentOf({ headers, url = '' }: IncomingMessage): Promise<Content> {
    return { epoch: this.epoch, hostname: headers.host ?? '', target: url };
  }

  release(): void {
    this.held = 0;
    this.released.resolve();
    this.released = Promise.withResolvers();
  }

  private async hold(): Promise<void> {
    this.held += 1;
    await this.released.promise;
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    this.lastHeaders = request.headers;
    this.lastTarget = request.url ?? '';
    const wish = wishOf(request);
    const { delayMilliseconds = 0, paddingBytes = 0 } = wish;
    const isNotModified = wish.isNotModified === true && request.headers['if-none-match'] !== undefined;
    const status = isNotModified ? 304 : (wish.status ?? 200);
    if (isNotModified) this.notModified += 1;
    const content = await this.contentOf(request);
    if (wish.isHeld) await this.hold();
    if (delayMilliseconds > 0) await sleep(delayMilliseconds);
    const body = isNotModified ? '' : JSON.stringify(content) + ' '.repeat(paddingBytes);
    response.writeHead(status, { ...this.headers, ...tagHeader(wish), ...wish.headers });
    response.end(body);
  }
}
