import { request } from 'undici';
import { expect, test } from 'vitest';
import { pathKey, tagKey, urlKey } from '../../../shared/edge/cache-keys.ts';
import { headers, type PurgeCommand, sign } from '../../../shared/edge/purge-protocol.ts';
import { secret, useBench } from './support/bench.ts';
import { describeNginx, nginxKit } from './support/nginx-kit.ts';
import { rawRequest } from './support/raw-request.ts';
import { words } from './support/words.ts';

const hostname = 'protocol.example';
const page = { hostname, target: '/page' };
const keys = urlKey(hostname, page.target);

const signed = (change: Partial<PurgeCommand> = {}): Record<string, string> => {
  const command: PurgeCommand = { time: Math.floor(Date.now() / 1000), mode: 'hard', keys, ...change };
  return {
    [headers.time]: String(command.time),
    [headers.mode]: command.mode,
    [headers.keys]: command.keys,
    [headers.signature]: sign(secret, command),
  };
};

const statusOf = (answer: string): number => Number(answer.split(' ')[1]);

describeNginx('What nginx makes of a method, a target and a host', () => {
  const bench = useBench(nginxKit);
  const send = (line: string, ...lines: string[]) => rawRequest(bench().running.baseUrl, [line, ...lines]);
  const host = `Host: ${hostname}`;
  const purge = (change?: Partial<PurgeCommand>) =>
    Object.entries(signed(change)).map(([name, value]) => `${name}: ${value}`);

  const isStored = async (): Promise<boolean> => {
    await bench().client.ask(page);
    return bench().client.isHit(page);
  };

  test.each(words('TRACE CONNECT purge Purge BAN PROPFIND X'))(
    '%s is refused, and reaches no origin',
    async (method) => {
      expect(await isStored()).toBe(true);
      const before = bench().origin.requests;
      const status = statusOf(await send(`${method} / HTTP/1.1`, host, ...purge()));
      expect([400, 405]).toContain(status);
      expect([bench().origin.requests, await isStored()]).toEqual([before, true]);
    },
  );

  test.each(['/page', '/?', '/?a', '*', '//', '//remove', '//purge'])(
    'a purge of %s is not of the protocol',
    async (target) => {
      expect(await isStored()).toBe(true);
      expect(statusOf(await send(`PURGE ${target} HTTP/1.1`, host, ...purge()))).toBe(400);
      expect(await isStored()).toBe(true);
    },
  );

  const foreign: readonly (readonly [string, Partial<PurgeCommand>])[] = [
    ['a soft purge', { mode: 'soft' }],
    ['the key of a host', { keys: `h/${hostname}` }],
    ['the key of a path', { keys: pathKey(hostname, '/') }],
    ['the key of a tag', { keys: tagKey(hostname, 'tag') }],
    ['no key', { keys: '' }],
    ['a key and half a key', { keys: `${keys} u/` }],
    ['two spaces between keys', { keys: `${keys}  ${keys}` }],
    ['a key with an argument', { keys: `${keys}&key=${keys}` }],
  ];
  test.each(foreign)('%s is nothing that it can do, however signed', async (_, change) => {
    expect(await isStored()).toBe(true);
    expect(statusOf(await send('PURGE / HTTP/1.1', host, ...purge(change)))).toBe(400);
    expect(await isStored()).toBe(true);
  });

  test.each([
    ...words('/remove //remove //remove/ ///remove /%2Fremove /%2F%2Fremove /.//remove /a/..//remove'),
    ...words('/purge //purge //lookup //pass //refuse'),
  ])('%s is a page as any other, and none of its own locations', async (path) => {
    expect(await isStored()).toBe(true);
    const target = `${path}?key=${keys}`;
    const answer = await send(`GET ${target} HTTP/1.1`, host, ...purge());
    expect([statusOf(answer), answer.includes(`"target":"${target}"`)]).toEqual([200, true]);
    expect(await isStored()).toBe(true);
  });

  test('an origin reaches none of its locations either', async () => {
    expect(await isStored()).toBe(true);
    const accel = { 'x-accel-redirect': `//remove?key=${keys}`, 'x-accel-expires': '600' };
    const mine = { hostname: 'mine.example', target: '/', wish: { headers: accel } };
    for (const _ of [1, 2]) {
      const answer = await bench().client.ask(mine);
      expect([answer.status, JSON.parse(answer.body).hostname]).toEqual([200, 'mine.example']);
      expect(Object.keys(answer.headers)).not.toEqual(expect.arrayContaining(Object.keys(accel)));
    }
    expect(await isStored()).toBe(true);
  });

  test('two hosts are refused; an absolute target names the host', async () => {
    expect(statusOf(await send('GET / HTTP/1.1', host, 'Host: other.example'))).toBe(400);
    expect(await isStored()).toBe(true);
    expect(await send(`GET http://${hostname}/page HTTP/1.1`, 'Host: other.example')).toMatch(
      /x-cache: hit/i,
    );
  });

  test('a request without a host is passed', async () => {
    for (const _ of [1, 2]) expect(await send('GET /page HTTP/1.0')).toMatch(/x-cache: miss/i);
  });

  test('no purge header reaches the origin', async () => {
    await bench().client.ask({ ...page, method: 'POST', headers: signed() });
    expect(Object.keys(bench().origin.lastHeaders)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^x-purge/)]),
    );
  });

  test('the answers of the protocol are JSON', async () => {
    const ask = async (pairs: Record<string, string>) => {
      const { statusCode, body } = await request(bench().running.baseUrl, {
        method: 'PURGE',
        headers: pairs,
      });
      return [statusCode, await body.json()];
    };
    expect(await ask({})).toEqual([400, { message: 'not a purge that this edge can do' }]);
    expect(await ask({ ...signed(), [headers.signature]: 'a' })).toEqual([
      401,
      { message: 'the signature is not right, or not of the last 60 seconds' },
    ]);
    expect(await isStored()).toBe(true);
    expect(await ask(signed())).toEqual([200, { removed: 1 }]);
    expect(await ask(signed())).toEqual([200, { removed: 0 }]);
  });

  test('1,000 URLs in one purge', async () => {
    const values = Array.from({ length: 1_000 }, (_, number) => `/of-many/${number}`);
    await Promise.all(values.map((target) => bench().client.ask({ hostname, target })));
    const many = { type: 'url', soft: false, hostnames: [hostname], values } as const;
    expect(await bench().purge(many)).toEqual({ removed: 1_000 });
    expect(await bench().purge(many)).toEqual({ removed: 0 });
  });
});
