import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Pool } from 'undici';
import { objectKeys } from '../../../shared/edge/cache-keys.ts';
import { canonicalTarget } from '../../../shared/property/canonical-url.ts';
import { canonicalHostname } from '../../../shared/property/hostname.ts';
import type { AccessLog, LoggedRequest } from './access-log.ts';
import { allow, isAllowed, refuseOtherMethods } from './allowed-methods.ts';
import { Cache, type CachedObject } from './cache.ts';
import { isCacheableRequest, tagsOf, ttlSeconds, varyOf, visitorHeaders } from './cacheability.ts';
import { type Headers, originHeaders, sharedHeaders } from './origin-request.ts';
import { respondToPurge } from './purge-endpoint.ts';

interface EmbeddedEdgeOptions {
  /** Base address of the origin. */
  readonly origin: string;
  readonly secret: string;
  /** Served to requests that name no host, but the edge's own address. */
  readonly defaultHostname: string;
  /** Where each request that was served is written down. */
  readonly log?: AccessLog;
}

const originMilliseconds = 30_000;

/** As the Varnish kit reads, for thousands of tags. */
const maximumHeaderBytes = 32 * 1024;

interface Target {
  readonly hostname: string;
  /** As the client wrote it. */
  readonly path: string;
  readonly canonical: string;
}

/** A small cache in front of one origin that speaks the purge protocol, as the Varnish kit does. */
export class EmbeddedEdge {
  readonly server: Server;
  private readonly options: EmbeddedEdgeOptions;
  private readonly origin: Pool;
  private readonly cache = new Cache();

  constructor(options: EmbeddedEdgeOptions) {
    this.options = options;
    this.origin = new Pool(options.origin, {
      maxHeaderSize: maximumHeaderBytes,
      headersTimeout: originMilliseconds,
      bodyTimeout: originMilliseconds,
    });
    this.server = createServer((request, response) => {
      this.handle(request, response).catch(() =>
        this.send(response, 502, {}, Buffer.from('The origin is away.\n'), 'synth'),
      );
    });
    refuseOtherMethods(this.server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await Promise.all([new Promise((resolve) => this.server.close(resolve)), this.origin.destroy()]);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'PURGE') {
      const { statusCode, body } = respondToPurge(
        this.cache,
        this.options.secret,
        request.headers,
        new Date(),
      );
      return this.send(
        response,
        statusCode,
        { 'content-type': 'application/json' },
        Buffer.from(JSON.stringify(body)),
      );
    }
    if (!isAllowed(request.method))
      return this.send(response, 405, { allow }, Buffer.from('Method Not Allowed\n'), 'synth');
    const target = this.targetOf(request);
    if (!target)
      return this.send(response, 400, {}, Buffer.from('The request target cannot be read.\n'), 'synth');
    if (!isCacheableRequest(request.method ?? '', request.headers))
      return this.pass(request, response, target);
    return this.lookUp(request, response, target);
  }

  private targetOf({ url = '', headers }: IncomingMessage): Target | undefined {
    if (!url.startsWith('/')) return undefined;
    return { hostname: this.hostnameOf({ headers }), path: url, canonical: canonicalTarget(url) };
  }

  private hostnameOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
    const host = (headers.host ?? '').replace(/:\d+$/, '');
    return canonicalHostname(host) ?? this.options.defaultHostname;
  }

  private async lookUp(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void> {
    const headers = sharedHeaders(request, target.hostname);
    const found = this.cache.find(target.hostname + target.canonical, headers, Date.now());
    if (!found) return this.sendObject(response, await this.fetch(headers, target), 'MISS');
    if (!found.isFresh) this.fetch(headers, target).catch(() => undefined);
    this.sendObject(response, found.object, 'HIT');
  }

  /** Fetches and, where the response allows it, keeps it. */
  private async fetch(requestHeaders: Headers, target: Target): Promise<CachedObject> {
    const ticket = this.cache.begin();
    try {
      const { statusCode, headers, body } = await this.origin.request({
        method: 'GET',
        path: target.canonical,
        headers: requestHeaders,
      });
      const now = Date.now();
      const ttl = ttlSeconds(statusCode, headers);
      const object: CachedObject = {
        url: target.hostname + target.canonical,
        keys: objectKeys(target.hostname, target.canonical, tagsOf(headers)),
        statusCode,
        headers: visitorHeaders(headers),
        body: Buffer.from(await body.arrayBuffer()),
        vary: varyOf(headers, requestHeaders),
        storedAt: now,
        expiresAt: now + ttl * 1000,
      };
      if (ttl > 0) this.cache.store(object, ticket);
      return object;
    } finally {
      this.cache.end();
    }
  }

  private async pass(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void> {
    const { statusCode, headers, body } = await this.origin.request({
      method: request.method as 'POST',
      path: target.path,
      headers: originHeaders(request, target.hostname),
      body: request.method === 'GET' || request.method === 'HEAD' ? null : request,
    });
    this.send(
      response,
      statusCode,
      { ...visitorHeaders(headers), 'x-cache': 'MISS' },
      Buffer.from(await body.arrayBuffer()),
      'pass',
    );
  }

  private sendObject(response: ServerResponse, object: CachedObject, cache: 'HIT' | 'MISS'): void {
    const age = Math.floor((Date.now() - object.storedAt) / 1000);
    const headers = { ...object.headers, 'x-cache': cache, age: String(age) };
    this.send(response, object.statusCode, headers, object.body, cache === 'HIT' ? 'hit' : 'miss');
  }

  private send(
    response: ServerResponse,
    statusCode: number,
    headers: OutgoingHttpHeaders,
    body: Buffer,
    handling?: LoggedRequest['handling'],
  ): void {
    if (response.headersSent) return void response.destroy();
    const { method = '' } = response.req;
    const bytes = method === 'HEAD' ? 0 : body.length;
    if (handling)
      this.options.log?.add({
        hostname: this.hostnameOf(response.req),
        method,
        status: statusCode,
        bytes,
        handling,
      });
    response.writeHead(statusCode, { ...headers, 'content-length': body.length });
    response.end(body);
  }
}
