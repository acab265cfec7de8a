import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type Internal, visit } from './support/parts-visitor.ts';
import { TestOrigin } from './support/test-origin.ts';
import { isLeftOut, type RunningParts, startParts } from './support/varnish-and-haproxy.ts';

const away = [502, 'The origin is away.\n'];
const longestWaiting = 256;

/** So that no test waits for it to pass. */
function impatient(text: string): string {
  expect(text).toContain('timeout server 68s');
  return text.replace('timeout server 68s', 'timeout server 500ms');
}

/** What stands in a shield's place. */
class Shield extends TestOrigin {
  protected override headers: Readonly<Record<string, string>> = { 'x-cdn-shield': '1' };

  /** As one that takes the edge for a visitor. */
  async withoutKnowing(work: () => Promise<void>): Promise<void> {
    const { headers } = this;
    this.headers = {};
    await work().finally(() => {
      this.headers = headers;
    });
  }
}

describe.skipIf(isLeftOut)('Varnish and HAProxy before a shield', () => {
  const shield = new Shield();
  let parts: RunningParts;
  let hasty: RunningParts;
  beforeAll(async () => {
    const { host } = new URL(await shield.start());
    [parts, hasty] = await Promise.all([
      startParts({ shield: host }),
      startParts({ shield: host, editHaproxy: impatient }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([parts.stop(), hasty.stop()]);
    await shield.stop();
  });

  let number = 0;
  /** A page that no test had before. */
  const page = (more: Partial<Internal> = {}): Internal => {
    number += 1;
    return { target: `/${number}`, origin: 'https://origin.example:8443', cdn: { ttl: 60 }, ...more };
  };
  const ask = (asked: Internal) => visit(parts.varnish, asked);
  const outcome = async (asked: Internal) => {
    const { status, body } = await ask(asked);
    return [status, body];
  };
  const isStored = async (asked: Internal): Promise<boolean> => {
    await ask(asked);
    return (await ask(asked)).handling === 'hit';
  };

  describe('What it is asked', () => {
    const ofTheWay = (headers: IncomingHttpHeaders) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => /^(?:host$|x-cdn-|x-origin)/.test(name)));

    test('is for /, with what nginx has said, and nothing else of the edge’s own', async () => {
      const cdn = { ttl: 60, swr: 5, sie: 6, variant: '["x-real-ip","1"]', 'set-x-real-ip': '1' };
      await ask(page({ target: '/key', asked: '/base/asked?a', hostHeader: 'inner.example', cdn }));
      expect(shield.lastTarget).toBe('/');
      expect(ofTheWay(shield.lastHeaders)).toEqual({
        host: 'www.parts.example',
        'x-cdn-key': 'site www.parts.example - /key ["x-real-ip","1"]',
        'x-cdn-fetch': '60 - 5 6 https 8443 account origin.example / inner.example',
        'x-cdn-url': '/base/asked?a',
        'x-cdn-set-x-real-ip': '1',
      });
      expect(shield.lastHeaders).toMatchObject({ 'cdn-loop': 'site', 'x-forwarded-for': '203.0.113.9' });
    });

    test('says what is passed, and no more where a stale page is refreshed', async () => {
      await ask(page({ cdn: { pass: 1 } }));
      expect(shield.lastHeaders['x-cdn-pass']).toBe('1');
      const asked = page({ cdn: { ttl: 0.1, sie: 60 } });
      await ask(asked);
      const before = shield.requests;
      await eventually(
        () => ask(asked),
        () => shield.requests > before,
      );
      expect(Object.keys(ofTheWay(shield.lastHeaders)).sort()).toEqual([
        'host',
        'x-cdn-fetch',
        'x-cdn-key',
        'x-cdn-url',
      ]);
    });
  });

  describe('For how long what it says is stored', () => {
    test.each<[string, Record<string, string>, number, boolean]>([
      ['a lifetime that is left', { 'x-cdn-lifetime': '60.000', age: '50' }, 0, true],
      [
        'a lifetime that is over, whatever the edge would say',
        { 'x-cdn-lifetime': '60.000', age: '60' },
        120,
        false,
      ],
      [
        'a lifetime, though the origin says none',
        { 'x-cdn-lifetime': '60.000', 'cache-control': 'no-cache' },
        0,
        true,
      ],
      ['no lifetime: what the origin says', { 'cache-control': 'max-age=60' }, 0, true],
      ['no lifetime: the property’s time', {}, 60, true],
      [
        'a lifetime of what is private',
        { 'x-cdn-lifetime': '60.000', 'cache-control': 'private' },
        60,
        false,
      ],
    ])('%s', async (_, headers, ttl, expected) => {
      expect(await isStored(page({ cdn: { ttl }, wish: { headers } }))).toBe(expected);
    });
  });

  describe('A shield that fails', () => {
    test('by responding as to a visitor is away, and nothing is stored', async () => {
      const asked = page();
      await shield.withoutKnowing(async () => {
        expect(await outcome(asked)).toEqual(away);
        expect(await outcome({ ...asked, wish: { status: 503 } })).toEqual(away);
      });
      expect((await ask(asked)).handling).toBe('miss');
    });

    test('for an origin that fails hands on what that says', async () => {
      expect((await ask(page({ wish: { status: 503 } }))).status).toBe(503);
    });

    test('by hanging is away; stale content is served where the property allows it', async () => {
      const hang = { isHeld: true };
      const askHastily = (asked: Internal) => visit(hasty.varnish, asked);
      const { status, body } = await askHastily(page({ wish: hang }));
      expect([status, body]).toEqual(away);
      const stale = page({ cdn: { ttl: 0.1, sie: 600 } });
      await eventually(
        () => askHastily(stale),
        ({ status }) => status === 200,
      );
      const before = shield.requests;
      const { handling } = await eventually(
        () => askHastily({ ...stale, wish: hang }),
        () => shield.requests > before,
      );
      expect(handling).toBe('hit');
      shield.release();
    });

    test(`by being slow for one origin holds ${longestWaiting} requests, and none of another`, async () => {
      const slow = { cdn: { pass: 1 }, wish: { isHeld: true } };
      const before = shield.held;
      const held = Array.from({ length: longestWaiting }, () => ask(page(slow)));
      await eventually(
        async () => shield.held,
        (count) => count === before + longestWaiting,
      );
      expect(await outcome(page())).toEqual(away);
      expect((await ask(page({ origin: 'http://other.example' }))).status).toBe(200);
      shield.release();
      expect((await Promise.all(held)).filter(({ status }) => status !== 200)).toEqual([]);
    });
  });
});
