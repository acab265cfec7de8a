import { expect, test } from 'vitest';
import type { Bench } from './bench.ts';
import { rawRequest } from './raw-request.ts';
import { words } from './words.ts';

/** An edge as browsers of one host see it, and the origin behind it. */
export interface Asked extends Pick<Bench, 'origin' | 'client'> {
  readonly baseUrl: string;
  readonly hostname: string;
}

const form = 'Content-Type: application/x-www-form-urlencoded';
const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: www.smuggled.example\r\n\r\n';

const bodies: readonly (readonly [string, readonly string[], string])[] = [
  ['with-a-length', [form, 'Content-Length: 6'], 'q=evil'],
  ['in-chunks', [form, 'Transfer-Encoding: chunked'], '6\r\nq=evil\r\n0\r\n\r\n'],
  ['without-a-byte', [form, 'Content-Length: 0'], ''],
  ['that-reads-as-a-request', [`Content-Length: ${smuggled.length}`], smuggled],
  ['that-is-waited-for', ['Expect: 100-continue', 'Content-Length: 6'], 'q=evil'],
];

/** Sends a request with a body, and behind it another one that reaches no origin; @returns both statuses */
export async function sendBody(
  { baseUrl, hostname }: Asked,
  head: readonly string[],
  body: string,
): Promise<readonly string[]> {
  const [line = '', ...headers] = head;
  const host = `Host: ${hostname}`;
  const lines = [line, host, ...headers, '', `${body}TRACE / HTTP/1.1`, host];
  return (await rawRequest(baseUrl, lines)).match(/(?<=HTTP\/1.1 )[2-5]../g) ?? [];
}

/** A body is not part of the cache's key. */
export function dropsBodies(asked: () => Asked): void {
  test.each(bodies)('the body of a GET reaches no origin: one %s', async (name, headers, body) => {
    const { origin, client, hostname } = asked();
    const before = origin.requests;
    const statuses = await sendBody(asked(), [`GET /${name} HTTP/1.1`, ...headers], body);
    expect(statuses).toEqual(['200', '405']);
    expect([origin.requests - before, await client.isHit({ hostname, target: `/${name}` })]).toEqual([
      1,
      true,
    ]);
    expect(Object.keys(origin.lastHeaders).join()).not.toMatch(/content-|transfer-encoding|expect/);
  });
}

export function refusesOtherMethods(asked: () => Asked): void {
  test.each(words('TRACE CONNECT PROPFIND BAN get purge'))(
    '%s is refused, says what is allowed, and reaches no origin',
    async (method) => {
      const { origin, baseUrl, hostname } = asked();
      const before = origin.requests;
      const response = await rawRequest(baseUrl, [`${method} / HTTP/1.1`, `Host: ${hostname}`]);
      expect(response).toMatch(/^HTTP\/1.1 405 /);
      expect(response).toMatch(/^allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r$/im);
      expect(origin.requests).toBe(before);
    },
  );
}
