import type { IncomingHttpHeaders } from 'node:http';
import { errors, Pool } from 'undici';
import { type Content, type Wish, wishHeader } from './test-origin.ts';

export interface Ask {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly hostname: string;
  /** As it goes over the wire. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly wish?: Wish;
}

export interface EdgeResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly isHit: boolean;
}

/** Whom a browser believes, and the name that its connections are for, whatever hosts its requests name. */
export interface Trust {
  readonly ca: string;
  readonly servername: string;
  readonly isHttp2: boolean;
}

/** A browser in front of an edge: it keeps its connections and names any host. */
export class EdgeClient {
  /** Requests on a kept connection that had just been closed. */
  sentAgain = 0;
  private readonly pool: Pool;
  private readonly servername: string | undefined;

  /** @param trust for https */
  constructor(baseUrl: string, connections = 16, trust?: Trust) {
    this.servername = trust?.servername;
    const tls = trust && { allowH2: trust.isHttp2, connect: { ca: trust.ca } };
    this.pool = new Pool(baseUrl, { connections, ...tls });
  }

  async ask({ method = 'GET', hostname, target, headers = {}, wish = {} }: Ask): Promise<EdgeResponse> {
    const { servername } = this;
    const response = await this.pool.request({
      ...(servername !== undefined && { servername }),
      method,
      path: target,
      headers: { ...headers, host: hostname, [wishHeader]: JSON.stringify(wish) },
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      body: await response.body.text(),
      isHit: response.headers['x-cache'] === 'HIT',
    };
  }

  /** As browsers do where a kept connection is closed when a request is on its way: nobody has read it. */
  async askAgain(ask: Ask): Promise<EdgeResponse> {
    for (;;) {
      try {
        return await this.ask(ask);
      } catch (error) {
        if (!isClosed(error)) throw error;
        this.sentAgain += 1;
      }
    }
  }

  /** The epoch of the content that the edge serves. */
  async epoch(ask: Ask): Promise<number> {
    return contentOf(await this.ask(ask)).epoch;
  }

  /** Whether the edge serves the request from what it stored. */
  async isHit(ask: Ask): Promise<boolean> {
    return (await this.ask(ask)).isHit;
  }

  async stop(): Promise<void> {
    await this.pool.destroy();
  }
}

export function contentOf({ status, body }: EdgeResponse): Content {
  if (status !== 200) throw new Error(`the edge responded with ${status}: ${body.slice(0, 200)}`);
  return JSON.parse(body);
}

function isClosed(error: unknown): boolean {
  return (
    error instanceof errors.SocketError ||
    (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
  );
}
