import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Bench } from './bench.ts';
import { sharesNoHeaders } from './contract-headers.ts';
import { dropsBodies, refusesOtherMethods } from './contract-requests.ts';
import type { Ask } from './edge-client.ts';
import type { Wish } from './test-origin.ts';

const hostname = 'www.storing.example';

const notStored: readonly { readonly name: string; readonly headers: NonNullable<Wish['headers']> }[] = [
  { name: 'Set-Cookie', headers: { 'set-cookie': 'a=b' } },
  { name: 'private', headers: { 'cache-control': 'private, max-age=60' } },
  { name: 'no-store', headers: { 'cache-control': 'no-store' } },
  { name: 'no-cache', headers: { 'cache-control': 'No-Cache' } },
  { name: 'max-age=0', headers: { 'cache-control': 'max-age=0' } },
  { name: 's-maxage=0', headers: { 'cache-control': 's-maxage=0, max-age=60' } },
  { name: 'Vary: *', headers: { vary: '*' } },
];

export function storesWhatItMay(bench: () => Bench): void {
  let number = 0;

  /** Asks twice for a page that nobody asked for before; @returns whether the second response came from the edge */
  const isStored = async (ask: Partial<Ask>): Promise<boolean> => {
    number += 1;
    const page = { hostname, target: `/${number}`, ...ask };
    expect((await bench().client.ask(page)).headers['x-cache']).toBe('MISS');
    return bench().client.isHit(page);
  };

  const asked = () => ({ ...bench(), baseUrl: bench().running.baseUrl, hostname });
  dropsBodies(asked);
  sharesNoHeaders(asked);
  refusesOtherMethods(asked);

  test('the origin is told who asked, not who it is said to be', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    await bench().client.ask({ hostname, target: '/address', headers });
    expect(bench().origin.lastHeaders['x-forwarded-for']).toBe('127.0.0.1');
  });

  test.each(notStored)('a response with $name is not stored', async ({ headers }) => {
    expect(await isStored({ wish: { headers } })).toBe(false);
  });

  test.each(['cookie', 'authorization'])('a request with %s is not stored', async (name) => {
    expect(await isStored({ headers: { [name]: 'Basic YTpi' } })).toBe(false);
  });

  test('a request with a cookie is not served from what was stored', async () => {
    await isStored({ target: '/shared' });
    expect(await bench().client.isHit({ hostname, target: '/shared', headers: { cookie: 'a=b' } })).toBe(
      false,
    );
  });

  test.each([500, 502, 503])('a %i is not stored', async (status) => {
    expect(await isStored({ wish: { status } })).toBe(false);
  });

  test('without a word from the origin it is stored, and Age counts', async () => {
    const page = { hostname, target: '/aging' };
    await bench().client.ask(page);
    await sleep(1_100);
    const { headers, isHit } = await bench().client.ask(page);
    expect([isHit, Number(headers.age) >= 1]).toEqual([true, true]);
  });

  test('s-maxage goes before max-age', async () => {
    expect(await isStored({ wish: { headers: { 'cache-control': 'max-age=0, s-maxage=60' } } })).toBe(true);
  });
}
