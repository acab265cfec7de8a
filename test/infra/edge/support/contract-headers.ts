import { expect, test } from 'vitest';
import { type Asked, sendBody } from './contract-requests.ts';
import { rawRequest } from './raw-request.ts';
import { words } from './words.ts';

/** An origin may listen to them, and they are not part of the cache's key. */
export const unkeyed = words(`
  Forwarded Forwarded-Host X-Forwarded X-Forwarded-Host X-Forwarded-Proto X-Forwarded-Protocol X-Forwarded-For
  X-Forwarded-Port X-Forwarded-Prefix X-Forwarded-Server X-Forwarded-Scheme X-Forwarded-Ssl X-Forwarded-Path
  CloudFront-Forwarded-Proto X-Scheme X-URL-Scheme Front-End-Https Proxy Surrogate-Capability
  X-Real-IP X-Client-IP Client-IP True-Client-IP X-Cluster-Client-IP CF-Connecting-IP X-Remote-Addr X-Originating-IP
  X-Host X-HTTP-Host-Override X-Original-Host X-Original-URL X-Rewrite-URL X-Override-URL
  X-Purge-Keys X-Guard X-Cache X-HashTwo XKey`);
export const methodOverrides = words('X-HTTP-Method-Override X-HTTP-Method X-Method-Override X-Method');
export const ofOneVisitor = words(`
  Content-Type Content-Encoding Content-Language Content-Range Range If-Match If-None-Match If-Modified-Since
  If-Unmodified-Since If-Range Accept-Encoding Cache-Control Pragma Proxy-Authorization Transfer_Encoding`);

function evil(names: readonly string[], separator = '-'): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name.replaceAll('-', separator), 'evil']));
}

function sent(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function evilOf({ origin }: Asked): readonly string[] {
  return Object.entries(origin.lastHeaders).flatMap(([name, value]) =>
    String(value).includes('evil') ? [name] : [],
  );
}

function setByTheEdge({ hostname }: Asked) {
  return {
    'x-forwarded-host': hostname,
    'x-forwarded-proto': 'http',
    'x-forwarded-for': expect.stringMatching(/^127\.0\.0\.1(?:, 127\.0\.0\.1)?$/),
  };
}

export function sharesNoHeaders(asked: () => Asked): void {
  const isClean = async (target: string, headers: Record<string, string>): Promise<void> => {
    const { origin, client, hostname } = asked();
    await client.ask({ hostname, target, headers });
    expect(evilOf(asked())).toEqual([]);
    expect(origin.lastHeaders).toMatchObject(setByTheEdge(asked()));
    expect(await client.isHit({ hostname, target })).toBe(true);
  };

  test.each(['-', '_', '.'])(
    'no word of a proxy or to one reaches the origin, spelled with a %s',
    (separator) => isClean(`/unkeyed?${separator}`, evil([...unkeyed, ...methodOverrides], separator)),
  );

  test('a fetch that may be stored asks for the whole content, on no condition', () =>
    isClean('/whole', evil(ofOneVisitor)));

  test('what the edge sets, no client takes away', async () => {
    const { origin, baseUrl, hostname } = asked();
    const host = `Host: ${hostname.toUpperCase()}:81`;
    const connection = 'Connection: X-Forwarded-Host, X-Forwarded-Proto';
    await rawRequest(baseUrl, ['GET /nominated HTTP/1.1', host, ...sent(evil(unkeyed)), connection]);
    expect(origin.lastHeaders).toMatchObject(setByTheEdge(asked()));
  });

  test('a passed request keeps its body and the method that it names', async () => {
    const headers = [...sent(evil([...unkeyed, ...methodOverrides])), 'Content-Length: 6'];
    expect(await sendBody(asked(), ['POST / HTTP/1.1', ...headers], 'q=evil')).toEqual(['200', '405']);
    expect(evilOf(asked())).toEqual(methodOverrides.map((name) => name.toLowerCase()));
    expect(asked().origin.lastHeaders).toMatchObject({ ...setByTheEdge(asked()), 'content-length': '6' });
  });
}
