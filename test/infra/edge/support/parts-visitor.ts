import type { IncomingHttpHeaders } from 'node:http';
import type { Pool } from 'undici';
import { headers as names, type PurgeMode, sign } from '../../../../shared/edge/purge-protocol.ts';
import { type Wish, wishHeader } from './test-origin.ts';
import { purgeSecret } from './varnish-and-haproxy.ts';

/** What nginx makes of a visitor's request, as the internal headers say it. */
export interface Internal {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly site?: string;
  readonly host?: string;
  readonly account?: string;
  readonly target?: string;
  /** What the origin is asked; the target by default. */
  readonly asked?: string;
  /** Base address of the origin. */
  readonly origin: string;
  readonly hostHeader?: string;
  /** The other headers, without `x-cdn-`. */
  readonly cdn?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly wish?: Wish;
  readonly body?: string;
}

export interface PartsResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly handling: unknown;
}

/** Asks as nginx does. */
export async function visit(pool: Pool, internal: Internal): Promise<PartsResponse> {
  const { method = 'GET', target = '/', asked = target, body } = internal;
  const response = await pool.request({
    method,
    path: asked,
    headers: headersOf(internal),
    body: body ?? null,
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: await response.body.text(),
    handling: response.headers['x-cdn-handling'],
  };
}

/** The request's headers as nginx sends them. */
export function headersOf({
  site = 'site',
  host = 'www.parts.example',
  account = 'account',
  target = '/',
  origin,
  hostHeader = host,
  cdn = {},
  headers = {},
  wish = {},
}: Internal): Record<string, string> {
  const { protocol, hostname, port } = new URL(origin);
  const {
    ttl = '-',
    'ttl-overrides': overrides = '-',
    swr = 0,
    sie = 0,
    reduced = '-',
    variant,
    ...others
  } = cdn;
  const said = Object.entries(others).map(([name, value]) => [`x-cdn-${name}`, String(value)]);
  const scheme = protocol.slice(0, -1);
  const address = hostname.replace(/^\[|\]$/g, '');
  const portOf = port || (scheme === 'https' ? '443' : '80');
  return {
    ...headers,
    host,
    'x-cdn-key': [site, host, reduced, target, ...(variant === undefined ? [] : [variant])].join(' '),
    'x-cdn-fetch': [ttl, overrides, swr, sie, scheme, portOf, account, address, '/', hostHeader].join(' '),
    ...Object.fromEntries(said),
    'x-forwarded-for': '203.0.113.9',
    [wishHeader]: JSON.stringify(wish),
  };
}

/** @returns the status, and how many objects were removed */
export async function purge(pool: Pool, mode: PurgeMode, keys: readonly string[]): Promise<unknown> {
  const command = { time: Math.floor(Date.now() / 1000), mode, keys: keys.join(' ') };
  const { statusCode, body } = await pool.request({
    method: 'PURGE' as 'GET',
    path: '/',
    headers: {
      [names.time]: String(command.time),
      [names.mode]: mode,
      [names.keys]: command.keys,
      [names.signature]: sign(purgeSecret, command),
    },
  });
  const text = await body.text();
  return statusCode === 200 ? JSON.parse(text).removed : statusCode;
}
