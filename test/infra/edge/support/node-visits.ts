import {
  type Agent,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { expect } from 'vitest';
import type { Reply } from '../../../../infra/edge/embedded/reply.ts';
import { ruledReply } from '../../../../infra/edge/embedded/ruled-reply.ts';
import type { Visit } from '../../../../infra/edge/embedded/visit.ts';
import type { ConfigDocument } from '../../../../shared/edge-config/document.ts';
import { configDocument } from './config-documents.ts';
import { type DerivedCase, derivedHostname, type SentRequest } from './derived-case.ts';
import { expectedHeaders, expectedLines, expectedVisit, seenLines, toldOf } from './node-expected.ts';
import { NodeNginx } from './node-nginx.ts';
import { TlsKit } from './tls-kit.ts';

type Headers = Readonly<Record<string, string>>;

const serverHeaders: readonly Headers[] = [
  {},
  { 'cache-control': 'max-age=60', age: '5', expires: '0', pragma: 'no-cache', 'x-a': 'origin' },
  { 'cache-control': 'Private, max-age=5', 'x-b': 'origin' },
  { 'cache-control': 'no-store', age: '1' },
];

interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Visitors of the node's nginx, what they see, and what Varnish is told of them, against the twins in TypeScript. */
export class NodeVisits {
  readonly seen = {
    http: 0,
    https: 0,
    refused: 0,
    blocked: 0,
    redirected: 0,
    forced: 0,
    passed: 0,
    looked: 0,
    reduced: 0,
    changed: 0,
  };
  readonly nginx = new NodeNginx((request, response) => {
    this.asked = request;
    request.resume().on('end', () => response.writeHead(200, this.varnishHeaders).end());
  });
  private readonly tls = new TlsKit();
  /** Who asks by a scheme. */
  private readonly agents: Readonly<Record<SentRequest['scheme'], Agent>> = {
    http: new HttpAgent({ keepAlive: true, maxSockets: 1 }),
    https: new HttpsAgent({
      keepAlive: true,
      maxSockets: 1,
      ca: this.tls.authority.certificate,
      servername: derivedHostname,
    }),
  };
  private asked: IncomingMessage | undefined;
  private varnishHeaders: Headers = {};

  /** @param lua another folder of Lua files */
  async start(lua?: string): Promise<void> {
    this.tls.put('derived.pem', [derivedHostname]);
    await this.nginx.start({ lua, tls: this.tls });
  }

  async stop(): Promise<void> {
    for (const agent of Object.values(this.agents)) agent.destroy();
    await this.nginx.stop();
    this.tls.remove();
  }

  /** Twice: for what has never been asked for, and for what has. */
  async judge(given: DerivedCase): Promise<void> {
    const document = documentOf(given);
    expect(await this.nginx.apply([{ propertyId: 'one', version: 1, document }])).toEqual([204, '']);
    this.varnishHeaders = serverHeaders[given.request.target.length % serverHeaders.length] ?? {};
    for (const _ of [1, 2]) await this.judgeVisit(document, given.request);
  }

  private async judgeVisit(document: ConfigDocument, request: SentRequest): Promise<void> {
    this.asked = undefined;
    const response = await this.send(request);
    const visit = expectedVisit(document, request);
    this.count(visit, request);
    const own = 'statusCode' in visit ? visit : ruledReply(visit);
    expect([response.status, this.asked !== undefined]).toEqual([own?.statusCode ?? 200, !own]);
    if (own) expect(response.headers['x-cache']).toBe('MISS');
    if ('statusCode' in visit) return;
    const headers = expectedHeaders(visit, own, this.varnishHeaders);
    expect(picked(response.headers)).toEqual(picked(headers));
    if (this.asked) judgeTold(visit, request, this.asked);
  }

  private count(visit: Visit | Reply, { scheme }: SentRequest): void {
    const { seen } = this;
    seen[scheme] += 1;
    if ('statusCode' in visit) seen.refused += 1;
    else if (visit.treatment.block) seen.blocked += 1;
    else if (visit.treatment.redirect) seen.redirected += 1;
    else if (visit.treatment.forceHttps) seen.forced += 1;
    else this.countTold(toldOf(visit, scheme));
  }

  private countTold({
    'x-cdn-pass': pass,
    'x-cdn-key': key = '',
  }: Readonly<Record<string, string | undefined>>): void {
    const [, , reduced, , variant] = key.split(' ');
    if (pass) this.seen.passed += 1;
    else this.seen.looked += 1;
    if (reduced === '1') this.seen.reduced += 1;
    if (variant) this.seen.changed += 1;
  }

  /** Bytes go as they are. */
  private send({ scheme, method, target, headers }: SentRequest): Promise<Response> {
    const { port } = new URL(scheme === 'http' ? this.nginx.baseUrl : this.tls.baseUrl);
    const lines = ['Host', derivedHostname, ...headers.flat()];
    const agent = this.agents[scheme];
    const options = { host: '127.0.0.1', port, agent, method, path: target, headers: lines };
    const begin = scheme === 'http' ? httpRequest : httpsRequest;
    return new Promise((resolve, reject) => {
      begin(options, (response) => {
        const { statusCode: status = 0, headers: received } = response;
        response.resume().on('end', () => resolve({ status, headers: received }));
      })
        .on('error', reject)
        .end();
    });
  }
}

function documentOf({ rules, cache }: Pick<DerivedCase, 'rules' | 'cache'>): ConfigDocument {
  return configDocument({
    hostnames: [{ hostname: derivedHostname, claimedAt: 1 }],
    origin: { url: 'http://origin.example:81/base' },
    rules,
    cache,
  });
}

function judgeTold(visit: Visit, request: SentRequest, asked: IncomingMessage): void {
  const { url, ...told } = toldOf(visit, request.scheme);
  const received = {
    ...asked.headers,
    'x-cdn-key': String(asked.headers['x-cdn-key']).replaceAll('\\/', '/'),
  };
  expect(asked.url).toBe(url);
  expect(Object.fromEntries(Object.keys(told).map((name) => [name, received[name as 'host']]))).toEqual({
    ...told,
    'x-forwarded-host': forwardedHost(visit),
  });
  expect(seenLines(asked)).toEqual(expectedLines(visit, request));
}

/** What a rule sets comes under another name. */
function forwardedHost({ treatment, hostname }: Visit): string | undefined {
  const ruled = Object.keys(treatment.requestHeaders).map((name) => name.toLowerCase());
  return ruled.includes('x-forwarded-host') ? undefined : hostname;
}

const spokenOf = [
  'location',
  'cache-control',
  'age',
  'expires',
  'pragma',
  'x-a',
  'x-b',
  'cookie',
  'accept-language',
];

function picked(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(spokenOf.map((name) => [name, headers[name]]));
}
