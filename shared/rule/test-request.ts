import * as z from 'zod';
import { ApiError } from '../ground/api-error.ts';
import { examples } from '../http/examples.ts';
import { quoted } from '../http/quoted.ts';
import { canonicalUrl } from '../property/canonical-url.ts';
import { firstHostnames } from '../property/hostname.ts';
import { HeaderName } from './header-name.ts';

const maximumHeaders = 100;

const HeaderValue = z
  .string('must be a string')
  .max(4_096, 'must be at most 4096 characters long')
  .regex(/^\P{Cc}*$/u, 'must not hold control characters');

const Headers = z
  .record(HeaderName, HeaderValue, {
    error: ({ code }) =>
      code === 'invalid_key' ? 'is not a header name' : 'must be an object of header names and values',
  })
  .refine((headers) => Object.keys(headers).length <= maximumHeaders, 'must hold at most 100 headers');

/** A request that a client might send to an edge. */
export const TestRequest = z
  .strictObject(
    {
      url: z
        .string('must be a string')
        .max(2_048, 'must be at most 2048 characters long')
        .refine(isAbsolute, 'must be an absolute http or https URL')
        .describe('Absolute http or https URL on one of the property’s host names.'),
      method: z
        .string('must be a string')
        .regex(/^[A-Za-z]{1,20}$/, 'must be a method like GET')
        .default('GET')
        .describe('Method of the request.'),
      headers: Headers.default({}).describe(
        'Headers of the request, cookies included. Host is taken from the URL.',
      ),
    },
    'must be a JSON object',
  )
  .meta({ id: 'TestRequest', description: 'A request that a visitor might send.' })
  .register(examples, {
    least: { url: 'https://www.example.com/images/logo.png' },
    all: { url: 'https://www.example.com/', method: 'POST', headers: { Cookie: 'session=1' } },
  });
export type TestRequest = z.output<typeof TestRequest>;

type Pairs = ReadonlyMap<string, readonly (readonly [name: string, value: string])[]>;

/** A request as conditions look at it; host, scheme, method and header names in lower case. */
export interface TestedRequest {
  readonly scheme: string;
  readonly host: string;
  readonly method: string;
  /** In the form of the cache’s key. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Pairs;
  readonly cookies: Pairs;
}

/** @throws ApiError `invalid` for a URL on none of the host names */
export function testedRequest(
  { url, method, headers }: TestRequest,
  hostnames: readonly string[],
): TestedRequest {
  const { hostname = '', target = '' } = canonicalUrl(url) ?? {};
  if (!hostnames.includes(hostname)) {
    throw new ApiError(
      'invalid',
      `Invalid request: url ${quoted(url)} must lie on one of the property’s host names (${firstHostnames(hostnames)}).`,
    );
  }
  const [path = '', ...query] = target.split('?');
  const sent = Object.entries({ ...headers, Host: hostname }).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const cookies = sent.filter(([name]) => name === 'cookie').flatMap(([, value]) => cookiesIn(value));
  return {
    scheme: new URL(url).protocol.slice(0, -1),
    host: hostname,
    method: method.toLowerCase(),
    path,
    query: new URLSearchParams(query.join('?')),
    headers: byName(sent),
    cookies: byName(cookies),
  };
}

function isAbsolute(text: string): boolean {
  return URL.canParse(text) && canonicalUrl(text)?.hostname !== undefined;
}

function cookiesIn(header: string): readonly (readonly [string, string])[] {
  return header.split(';').map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), value.join('=').trim()];
  });
}

function byName(pairs: Iterable<readonly [string, string]>): Pairs {
  return Map.groupBy(pairs, ([name]) => name);
}
