import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { headers, sign } from '../../../shared/edge/purge-protocol.ts';
import { secret, useBench } from './support/bench.ts';
import { describeNode, roomyNode } from './support/node-kit.ts';
import { rawRequest } from './support/raw-request.ts';
import { words } from './support/words.ts';

const hostname = 'protocol.example';
const page = {
  hostname,
  target: '/page',
  wish: { headers: { xkey: 'h/other.example', 'x-hashtwo': 'a', 'surrogate-key': 'tag' } },
};
const keys = `h/${hostname}`;

function signedLines(): readonly string[] {
  const time = Math.floor(Date.now() / 1000);
  const signature = sign(secret, { time, mode: 'hard', keys });
  return [
    `${headers.time}: ${time}`,
    `${headers.mode}: hard`,
    `${headers.keys}: ${keys}`,
    `${headers.signature}: ${signature}`,
  ];
}

function statusOf(response: string): number {
  return Number(response.split(' ')[1]);
}

describeNode('Varnish', () => {
  const bench = useBench(roomyNode);

  describe('What Varnish makes of a method, a target and a host', () => {
    const send = (line: string, ...lines: string[]) => rawRequest(bench().running.baseUrl, [line, ...lines]);

    const isStored = async (): Promise<boolean> => {
      await bench().client.ask(page);
      return bench().client.isHit(page);
    };

    test.each(words('TRACE CONNECT purge Purge BAN PROPFIND X'))(
      '%s is refused, and reaches no origin',
      async (method) => {
        expect(await isStored()).toBe(true);
        const before = bench().origin.requests;
        const response = await send(`${method} / HTTP/1.1`, `Host: ${hostname}`, ...signedLines());
        expect([statusOf(response), bench().origin.requests, await isStored()]).toEqual([405, before, true]);
      },
    );

    test.each(['/page', '/?', '*'])('a purge of %s is not of the protocol', async (target) => {
      expect(await isStored()).toBe(true);
      expect(statusOf(await send(`PURGE ${target} HTTP/1.1`, `Host: ${hostname}`, ...signedLines()))).toBe(
        400,
      );
      expect(await isStored()).toBe(true);
    });

    test('an overriding header makes no purge', async () => {
      expect(await isStored()).toBe(true);
      const override = ['X-HTTP-Method-Override: PURGE', 'X-Method-Override: PURGE', ...signedLines()];
      expect(
        statusOf(await send('POST / HTTP/1.1', `Host: ${hostname}`, 'Content-Length: 0', ...override)),
      ).toBe(200);
      expect(await isStored()).toBe(true);
    });

    test('two hosts are refused; an absolute target names the host', async () => {
      expect(statusOf(await send('GET / HTTP/1.1', `Host: ${hostname}`, 'Host: other.example'))).toBe(400);
      expect(await isStored()).toBe(true);
      const response = await send(`GET http://${hostname}/page HTTP/1.1`, 'Host: other.example');
      expect(response).toMatch(/x-cache: hit/i);
      expect(await send('GET ftp://protocol.example/ HTTP/1.1', `Host: ${hostname}`)).toMatch(
        /x-cache: miss/i,
      );
    });

    test('white space and controls in a target are refused', async () => {
      for (const target of ['/a\tb', '/a\u0001b', '/a b', '/a\u007fb']) {
        expect([target, statusOf(await send(`GET ${target} HTTP/1.1`, `Host: ${hostname}`))]).toEqual([
          target,
          400,
        ]);
      }
    });

    test('bytes beyond ASCII are served', async () => {
      for (const _ of [1, 2])
        expect(await send('GET /\u00e9 HTTP/1.1', `Host: ${hostname}`)).toMatch(/^HTTP\/1.1 200 /);
    });
  });

  describe('What Varnish keeps to itself', () => {
    test('no internal header reaches a client, from a stored response or a passed one', async () => {
      const passed = { ...page, headers: { cookie: 'a=b' } };
      for (const ask of [page, page, passed]) {
        const response = await bench().client.ask(ask);
        expect(Object.keys(response.headers)).not.toEqual(
          expect.arrayContaining([
            expect.stringMatching(/^(xkey|x-hashtwo|x-varnish|x-purge.*|surrogate-key|x-guard.*)$/),
          ]),
        );
        expect(response.headers['x-cache']).toMatch(/^(HIT|MISS)$/);
        expect(response.headers.age).toMatch(/^\d+$/);
      }
    });

    test('no purge header reaches the origin', async () => {
      await bench().client.ask({
        ...page,
        method: 'POST',
        headers: { [headers.keys]: keys, [headers.signature]: 'a' },
      });
      expect(Object.keys(bench().origin.lastHeaders)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^x-purge/)]),
      );
    });

    test('the responses of the protocol are JSON', async () => {
      const refused = await request(bench().running.baseUrl, { method: 'PURGE' });
      expect([refused.statusCode, refused.headers['content-type'], await refused.body.json()]).toEqual([
        400,
        'application/json',
        { message: 'not a purge of this protocol' },
      ]);
    });
  });
});
