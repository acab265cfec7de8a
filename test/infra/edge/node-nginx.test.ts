import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigChange } from '../../../infra/edge/agent/config-agent.d.mts';
import type { ConfigDocument } from '../../../shared/edge-config/document.ts';
import type { CompiledRule } from '../../../shared/rule/compiled-rule.ts';
import { eventually } from '../../support/eventually.ts';
import { installed } from '../../support/installed.ts';
import { configDocument } from './support/config-documents.ts';
import { hostileRequest } from './support/hostile-request.ts';
import { NodeNginx } from './support/node-nginx.ts';
import { rawRequest, sendRaw } from './support/raw-request.ts';
import { words } from './support/words.ts';

let asked: IncomingMessage[] = [];

function varnish(): NodeNginx {
  return new NodeNginx((request, response) => {
    asked.push(request);
    request.resume().on('end', () => {
      response.writeHead(200, { 'x-cdn-handling': 'hit' }).write('con');
      response.end('tent');
    });
  });
}

interface Told {
  readonly status: number;
  readonly text: string;
}

async function get(
  nginx: NodeNginx,
  hostname: string,
  target = '/',
  ...lines: readonly string[]
): Promise<Told> {
  return toldOf(await rawRequest(nginx.baseUrl, [`GET ${target} HTTP/1.1`, `Host: ${hostname}`, ...lines]));
}

function toldOf(text: string): Told {
  return { status: Number(text.split(' ')[1]), text };
}

async function apply(
  nginx: NodeNginx,
  propertyId: string,
  change: Partial<ConfigDocument> | null,
): Promise<void> {
  const document = change && configDocument({ propertyId, ...change });
  expect(await nginx.apply([{ propertyId, version: 1, document }])).toEqual([204, '']);
}

/** `SITE HOST REDUCED TARGET VARIANT` */
function keyOf(request: IncomingMessage | undefined): readonly string[] {
  return String(request?.headers['x-cdn-key']).split(' ');
}

/** `TTL OVERRIDES SWR SIE SCHEME PORT ACCOUNT ORIGIN HOST-HEADER` */
function fetchOf(request: IncomingMessage | undefined): readonly string[] {
  return String(request?.headers['x-cdn-fetch']).split(' ');
}

function siteOf(request: IncomingMessage | undefined): string | undefined {
  return keyOf(request)[0];
}

function portOf(request: IncomingMessage | undefined): string | undefined {
  return fetchOf(request)[5];
}

function ruleOf(part: object): CompiledRule {
  const whole = { id: 'r', name: 'R', match: 'all', conditions: [], actions: [], isFinal: false } as const;
  return { ...whole, ...part };
}

function conditionOf(condition: object): CompiledRule {
  return ruleOf({ conditions: [condition], actions: [{ type: 'block' }] });
}

function without(change: ConfigChange): ConfigChange {
  return { ...change, document: null };
}

function claim(hostname: string, claimedAt: number): ConfigDocument['hostnames'][number] {
  return { hostname, claimedAt };
}

describe.skipIf(!installed('/usr/sbin/nginx', '-v'))('The node’s nginx', () => {
  const nginx = varnish();
  beforeAll(() => nginx.start({ workers: 2, purgers: ['127.0.0.1'] }));
  afterAll(() => nginx.stop());

  describe('Documents', () => {
    test('a request waits until the agent has handed everything over', async () => {
      const waiting = get(nginx, 'first.example');
      expect(
        await nginx.apply(
          [{ propertyId: 'first', version: 1, document: configDocument({ propertyId: 'first' }) }],
          false,
        ),
      ).toEqual([204, '']);
      expect(await nginx.apply([], true)).toEqual([204, '']);
      expect((await waiting).status).toBe(200);
    });

    test('a property that is unknown, paused, served and deleted', async () => {
      expect((await get(nginx, 'shop.example')).text).toMatch(
        /^HTTP\/1.1 404 [\s\S]*X-Cache: MISS[\s\S]*No site of this name is served here.\n$/,
      );
      await apply(nginx, 'shop', { status: 'paused' });
      expect((await get(nginx, 'shop.example')).text).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 60/i);
      await apply(nginx, 'shop', {});
      for (const hostname of ['shop.example', 'SHOP.example', 'shop.example.:81'])
        expect((await get(nginx, hostname)).status).toBe(200);
      await apply(nginx, 'shop', null);
      expect((await get(nginx, 'shop.example')).status).toBe(404);
    });

    test.each([
      [1, 2],
      [2, 1],
    ])('of two claims the later one holds, whichever came last: %s, %s', async (...claims) => {
      for (const at of claims)
        await apply(nginx, `claim-${at}`, { hostnames: [claim('claimed.example', at)] });
      asked = [];
      await get(nginx, 'claimed.example');
      expect(siteOf(asked[0])).toBe('claim-2');
      await apply(nginx, 'claim-2', { hostnames: [claim('other.example', 3)] });
      await get(nginx, 'claimed.example');
      expect(siteOf(asked[1])).toBe('claim-1');
      for (const at of claims) await apply(nginx, `claim-${at}`, null);
      expect((await get(nginx, 'claimed.example')).status).toBe(404);
    });

    test('a request after a change, on any connection and to any of the hosts, sees it', async () => {
      const hostnames = ['a', 'b', 'c'].map((label) => claim(`${label}.hosts.example`, 1));
      for (const number of Array.from({ length: 20 }, (_, index) => index)) {
        await apply(nginx, 'hosts', { hostnames, origin: { url: `http://127.0.0.1:${number + 1}` } });
        asked = [];
        await Promise.all(hostnames.flatMap(({ hostname }) => [get(nginx, hostname), get(nginx, hostname)]));
        expect(asked.map(portOf)).toEqual(Array.from({ length: 6 }, () => String(number + 1)));
      }
    });

    test('a host that changes hands is never without a site, whoever is changed first', async () => {
      const hosts = (propertyId: string, ...labels: readonly string[]): ConfigChange => ({
        propertyId,
        version: 1,
        document: configDocument({
          propertyId,
          hostnames: labels.map((label) => claim(`${label}.hands.example`, 1)),
        }),
      });
      const between = Array.from({ length: 1_500 }, (_, number) =>
        hosts(`between-${number}`, `between-${number}`),
      );
      const last: ConfigChange = { propertyId: 'second', version: 2, document: null };
      const states: readonly (readonly ConfigChange[])[] = [
        [hosts('first', 'one', 'kept'), hosts('second', 'two')],
        [hosts('first', 'two', 'kept'), ...between, hosts('second', 'one')],
        [hosts('first', 'one', 'kept'), ...between.map(without), hosts('second', 'two')],
        [last, ...between, hosts('first', 'one', 'two', 'kept')],
      ];
      const met: number[] = [];
      for (const changes of states) {
        let isOver = met.length === 0;
        const ask = async () => {
          while (!isOver)
            for (const label of ['one', 'two', 'kept'])
              met.push((await get(nginx, `${label}.hands.example`)).status);
        };
        const asking = Promise.all([ask(), ask()]);
        expect(await nginx.apply(changes)).toEqual([204, '']);
        isOver = true;
        await asking;
        met.push((await get(nginx, 'kept.hands.example')).status);
      }
      expect(met.length).toBeGreaterThan(20);
      expect(met.filter((status) => status !== 200)).toEqual([]);
    });

    test.each<[string, object]>([
      ['an origin that new URL would write otherwise', { origin: { url: 'http:a.b' } }],
      ['an action of no type that it knows', { rules: [ruleOf({ actions: [{ type: 'nonsense' }] })] }],
      [
        'a condition without values',
        { rules: [conditionOf({ field: 'path', operator: 'equals', values: [] })] },
      ],
      [
        'a condition on nothing that it knows',
        { rules: [conditionOf({ field: 'moon', operator: 'exists' })] },
      ],
      [
        'a comparison that it does not know',
        { rules: [conditionOf({ field: 'path', operator: 'like', values: ['a'] })] },
      ],
    ])('a document with %s is refused by its name, and nothing changes', async (_, part) => {
      await apply(nginx, 'whole', { origin: { url: 'http://127.0.0.1:7' } });
      const document = { ...configDocument({ propertyId: 'whole' }), ...part } as ConfigDocument;
      const other = configDocument({ propertyId: 'beside' });
      const [status, text] = await nginx.apply([
        { propertyId: 'beside', version: 1, document: other },
        { propertyId: 'whole', version: 2, document },
      ]);
      expect([status, text]).toEqual([422, expect.stringMatching(/^whole: the document cannot be read: \S/)]);
      asked = [];
      expect((await get(nginx, 'whole.example')).status).toBe(200);
      expect(portOf(asked[0])).toBe('7');
      expect((await get(nginx, 'beside.example')).status).toBe(404);
    });

    test('what is no list of changes is refused; half a character in a value is not', async () => {
      const sent = await nginx.apply('nonsense' as unknown as []);
      expect(sent[0]).toBe(400);
      const conditions: CompiledRule['conditions'] = [
        { field: 'path', operator: 'prefix', values: ['/\ud83d'] },
      ];
      const rule = { id: 'r', name: 'R', match: 'all', actions: [{ type: 'block' }], isFinal: true } as const;
      await apply(nginx, 'half', { rules: [{ ...rule, conditions }] });
      expect((await get(nginx, 'half.example')).status).toBe(200);
    });

    test('patterns that backtracking would never come to an end with are looked at at once', async () => {
      const pattern = `${'*a'.repeat(99)}b`;
      const conditions: CompiledRule['conditions'] = [
        {
          field: 'path',
          operator: 'wildcard',
          values: Array.from({ length: 50 }, (_, index) => `${pattern}${index}`),
        },
        { field: 'path', operator: 'contains', values: [`${'a'.repeat(199)}b`] },
      ];
      const rule = { id: 'r', name: 'R', match: 'any', actions: [{ type: 'block' }], isFinal: true } as const;
      await apply(nginx, 'slow', { rules: [{ ...rule, conditions }] });
      expect((await get(nginx, 'slow.example', `/${'a'.repeat(8_000)}`)).status).toBe(200);
    });
  });

  describe('Requests that few send', () => {
    const send = async (text: string): Promise<Told> => toldOf(await sendRaw(nginx.baseUrl, text));
    const host = 'Host: odd.example\r\n';
    beforeAll(() => apply(nginx, 'odd', {}));

    test.each(words('TRACE CONNECT PROPFIND BAN get purge'))(
      '%s is refused, and told what is not',
      async (method) => {
        const { text } = await send(`${method} / HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
        expect(text).toMatch(/^HTTP\/1.1 405 [\s\S]*allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r/i);
      },
    );

    test.each([
      ['no HTTP', 'nonsense\r\n\r\n'],
      ['two hosts', `GET / HTTP/1.1\r\n${host}${host}\r\n`],
      ['a line over 8 KB', `GET / HTTP/1.1\r\n${host}a: ${'a'.repeat(8_300)}\r\n\r\n`],
      ['over 32 KB', `GET / HTTP/1.1\r\n${host}${`a: ${'a'.repeat(7_000)}\r\n`.repeat(6)}\r\n`],
      ['over 500 lines', `GET / HTTP/1.1\r\n${host}${'a: b\r\n'.repeat(500)}\r\n`],
      ['a control', `GET /a\tb HTTP/1.1\r\n${host}\r\n`],
      ['a dot segment', `GET /a/%2e%2E/b HTTP/1.1\r\n${host}\r\n`],
      ['a backslash', `GET /a\\b HTTP/1.1\r\n${host}\r\n`],
      ['bytes that take more room than Varnish has', `GET /${'\xff'.repeat(4_000)} HTTP/1.1\r\n${host}\r\n`],
      [
        'over 100 names in its Connection header',
        `GET / HTTP/1.1\r\n${host}Connection: ${'a,'.repeat(101)}\r\n\r\n`,
      ],
    ])('%s: 400, as a text', async (_, text) => {
      asked = [];
      const response = await send(text);
      expect([response.status, response.text.includes('<'), asked]).toEqual([400, false, []]);
      expect(response.text).toMatch(/x-cache: MISS/i);
    });

    test('a rule from before names what frames a response, in any spelling: in vain; others go out as they are', async () => {
      const actions = ['Content_Length', 'Transfer_Encoding', 'X_Cache', 'content-length', 'X_Foo'].map(
        (name) => ({ type: 'setResponseHeader', name, value: '3' }),
      );
      await apply(nginx, 'framed', { rules: [ruleOf({ actions })] });
      const { text } = await get(nginx, 'framed.example');
      expect(text).toMatch(/^HTTP\/1.1 200 [\s\S]*\r\n\r\n[37]\r\ncon(?:\r\n4\r\n)?tent\r\n0\r\n\r\n$/);
      const names = [...text.matchAll(/^([^:\r\n]+): 3\r$/gm)].map(([, name]) => name);
      expect(names).toEqual(['x_foo']);
    });

    test('an upgrade, and what a Connection header takes for itself, are not passed on', async () => {
      asked = [];
      const lines = ['Upgrade: websocket', 'Connection: Upgrade, X-Own, x-cdn-key', 'X-Own: 1', 'X-Kept: 1'];
      expect((await get(nginx, 'odd.example', '/', ...lines)).status).toBe(200);
      const { upgrade, 'x-own': own, 'x-kept': kept } = asked[0]?.headers ?? {};
      expect([upgrade, own, kept, siteOf(asked[0])]).toEqual([undefined, undefined, '1', 'odd']);
    });

    test('a body of what the edge responds to itself is no request', async () => {
      const body = `GET /smuggled HTTP/1.1\r\n${host}\r\n`;
      const refused = `POST /../ HTTP/1.1\r\n${host}Content-Length: ${body.length}\r\n\r\n${body}`;
      asked = [];
      const { text } = await send(`${refused}GET /next HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
      expect(asked.filter(({ url }) => url === '/smuggled')).toEqual([]);
      expect(text).toMatch(/^HTTP\/1.1 400 /);
    });

    test('a body whose chunks cannot be read ends the connection of what the edge responds to itself', async () => {
      asked = [];
      const refused = `GET /../ HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nno chunk\r\n`;
      const { text } = await send(`${refused}GET /smuggled HTTP/1.1\r\n${host}\r\n`);
      expect([text.match(/HTTP\/1.1 \d+/g), asked]).toEqual([['HTTP/1.1 400'], []]);
      expect(text).toMatch(/^connection: close\r$/im);
    });

    test('a URL of thousands of parameters in any order', async () => {
      const parameters = Array.from({ length: 1_500 }, (_, index) => `p${(index * 7919) % 1_500}`);
      asked = [];
      await get(nginx, 'odd.example', `/?${parameters.join('&')}`);
      expect(keyOf(asked[0])[3]).toBe(`/?${parameters.sort().join('&')}`);
    });

    test('whatever is asked makes a line of the log that is JSON, ASCII and short', async () => {
      const hostile = fc.sample(hostileRequest, { numRuns: 150, seed: 1 });
      for (const text of hostile) await send(text);
      await get(nginx, 'odd.example', '/logged?a');
      const lines = nginx.log();
      expect(lines.length).toBeGreaterThanOrEqual(hostile.length);
      expect(lines.filter((line) => line.length > 4_096 || /[^ -~]/.test(line))).toEqual([]);
      expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
        ...{ ts: expect.any(Number), h: 'odd.example', m: 'GET', u: '/logged?a', s: 200, b: 7 },
        ...{ c: 'hit', hd: 'hit', ttfb: expect.any(Number) },
      });
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ s: expect.any(Number) });
    });
  });

  describe('Purges', () => {
    const purge = (mode: string): Promise<string> =>
      rawRequest(nginx.baseUrl, ['PURGE / HTTP/1.1', 'Host: edge', `x-purge-mode: ${mode}`]);
    const agent = createServer((_, response) => response.end('{"removed":0}'));
    beforeAll(() => new Promise<void>((done) => agent.listen(join(nginx.dir, 'agent.sock'), done)));
    afterAll(() => agent.close());

    test('a notification goes to the agent, the rest to Varnish, and none of them into the log', async () => {
      asked = [];
      const before = nginx.log().length;
      expect(await purge('poll')).toMatch(/^HTTP\/1.1 200 [\s\S]*\{"removed":0\}/);
      expect(asked).toEqual([]);
      for (const lines of ['a: b\r\n'.repeat(501), `a: ${'a'.repeat(8_300)}\r\n`])
        expect(await sendRaw(nginx.baseUrl, `PURGE / HTTP/1.1\r\nHost: edge\r\n${lines}\r\n`)).toMatch(
          /^HTTP\/1.1 400 /,
        );
      expect(await purge('hard')).toMatch(/^HTTP\/1.1 200 [\s\S]*content/);
      expect(asked.map(({ method, url, headers }) => [method, url, headers['x-purge-mode']])).toEqual([
        ['PURGE', '/', 'hard'],
      ]);
      expect(nginx.log().length).toBe(before);
    });
  });
});

describe.skipIf(!installed('/usr/sbin/nginx', '-v'))('The node’s nginx, otherwise', () => {
  test('a full memory is said, and loses nothing', async () => {
    const nginx = varnish();
    await nginx.start({ configMemory: '1m' });
    const rules = Array.from({ length: 200 }, (_, index) => ({
      ...{
        id: `r${index}`,
        name: 'x'.repeat(100),
        match: 'all' as const,
        conditions: [],
        actions: [],
        isFinal: false,
      },
    }));
    const propertyIds: string[] = [];
    let status = 204;
    while (status === 204) {
      const propertyId = `p${propertyIds.length}`;
      const text = await nginx.apply([
        { propertyId, version: 1, document: configDocument({ propertyId, rules }) },
      ]);
      status = text[0];
      if (status === 204) propertyIds.push(propertyId);
      else expect(text[1]).toMatch(/^p\d+: the memory for the configuration is full: raise --config-memory/);
    }
    expect([status, propertyIds.length > 5]).toEqual([507, true]);
    for (const id of propertyIds) expect((await get(nginx, `${id}.example`)).status).toBe(200);
    expect((await get(nginx, `p${propertyIds.length}.example`)).status).toBe(404);
    await nginx.stop();
  });

  test('workers that die in the middle of changes hold up the next ones for no longer than a moment', async () => {
    const nginx = varnish();
    await nginx.start({ workers: 2 });
    await apply(nginx, 'p0', {});
    const changes = (version: number) =>
      Array.from({ length: 3_000 }, (_, number) => {
        const propertyId = `p${number}`;
        const origin = { url: `http://127.0.0.1:${version}` };
        return { propertyId, version, document: configDocument({ propertyId, origin }) };
      });
    const portServed = async (number: number) => {
      asked = [];
      await get(nginx, `p${number}.example`);
      return portOf(asked[0]);
    };
    let version = 1_000;
    do {
      version += 1;
      const writing = nginx.apply(changes(version)).catch(() => undefined);
      while ((await portServed(0)) !== String(version));
      const dead = nginx.workers();
      for (const pid of dead) process.kill(pid, 'SIGKILL');
      await writing;
      await eventually(
        async () => nginx.workers(),
        (alive) => alive.length === 2 && !alive.some((pid) => dead.includes(pid)),
      );
    } while ((await portServed(2_999)) === String(version));
    await eventually(
      () => nginx.apply(changes(9_999)).catch(() => undefined),
      (response) => response?.[0] === 204,
    );
    expect(await portServed(2_999)).toBe('9999');
    await nginx.stop();
  }, 8_000);

  test('what a worker keeps is bounded, whatever visitors ask of a property with many rules', async () => {
    const nginx = varnish();
    await nginx.start({ configMemory: '1m' });
    const rules = Array.from({ length: 100 }, (_, number) =>
      ruleOf({
        conditions: [{ field: 'header', operator: 'exists', name: `x-${number}` }],
        actions: [{ type: 'setResponseHeader', name: `x-${number}`, value: 'v'.repeat(30) }],
      }),
    );
    await apply(nginx, 'many', {
      rules: [...rules, ruleOf({ actions: [{ type: 'block' }], isFinal: true })],
    });
    const request = (number: number) => `GET /${number} HTTP/1.1\r\nHost: many.example\r\n\r\n`;
    for (const batch of Array.from({ length: 20 }, (_, index) => index)) {
      const requests = Array.from({ length: 1_000 }, (_, number) => request(batch * 1_000 + number));
      expect((await sendRaw(nginx.baseUrl, requests.join(''))).match(/HTTP\/1.1 403 /g)).toHaveLength(1_000);
    }
    const status = readFileSync(`/proc/${nginx.workers()[0]}/status`, 'utf8');
    expect(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(130_000);
    await nginx.stop();
  });

  test('a fixed site is served under every name, and who may not purge is told', async () => {
    const nginx = varnish();
    const fixedSite = { ...configDocument({ propertyId: 'fixed' }), hostnames: [] };
    await nginx.start({ fixedSite, edges: 'all' });
    asked = [];
    const lines = ['X-Forwarded-For: 203.0.113.9', 'X-Forwarded-Proto: https'];
    for (const host of ['Any.Name.example.:81', 'localhost', '[::1]:80', 'a_b.example'])
      expect((await get(nginx, host, '/', ...lines)).status).toBe(200);
    await rawRequest(nginx.baseUrl, ['GET http://single/ HTTP/1.1', 'Host: other.example']);
    const told = asked.map((request) => [
      request.headers.host,
      fetchOf(request)[9],
      request.headers['x-cdn-pass'],
    ]);
    expect(told).toEqual([
      ['any.name.example', 'any.name.example', undefined],
      ['localhost', 'localhost', '1'],
      ['[::1]:80', '[::1]:80', '1'],
      ['a_b.example', 'a_b.example', '1'],
      ['single', 'single', '1'],
    ]);
    expect(asked[0]?.headers).toMatchObject({
      'x-forwarded-for': '203.0.113.9, 127.0.0.1',
      'x-forwarded-proto': 'https',
    });
    expect([keyOf(asked[0]), keyOf(asked[4])].map(([, , , ...rest]) => rest)).toEqual([
      ['/', 'https'],
      ['/'],
    ]);
    expect(await rawRequest(nginx.baseUrl, ['PURGE / HTTP/1.1', 'Host: edge'])).toMatch(
      /^HTTP\/1.1 403 [\s\S]*\{"message":"this address may not purge"\}/,
    );
    await nginx.stop();
  });

  test('what an edge says makes no purge of what comes from where none may, no method of another, and no line of the log', async () => {
    const nginx = varnish();
    await nginx.start({ edges: ['127.0.0.1'] });
    await apply(nginx, 'one', {});
    asked = [];
    const said = ['Host: one.example', 'x-cdn-key: one one.example - /', 'x-cdn-fetch: 60', 'x-cdn-url: /'];
    const statusOf = async (method: string) =>
      (await rawRequest(nginx.baseUrl, [`${method} / HTTP/1.1`, ...said])).split(' ')[1];
    expect([await statusOf('PURGE'), await statusOf('TRACE'), asked.length]).toEqual(['403', '405', 0]);
    expect([await statusOf('GET'), asked.length]).toEqual(['200', 1]);
    await get(nginx, 'one.example', '/of-a-visitor');
    const logged = await eventually(
      async () => nginx.log().map((line) => JSON.parse(line).u),
      (urls) => urls.includes('/of-a-visitor'),
    );
    // Of TRACE and of the visitor.
    expect(logged).toEqual(['/', '/of-a-visitor']);
    await nginx.stop();
  });

  test('Varnish that is away is a text, with what the rules say of the method that was asked for', async () => {
    const nginx = new NodeNginx((request) => request.socket.destroy());
    await nginx.start();
    const seen = { type: 'setResponseHeader', name: 'X-Seen', value: 'post' } as const;
    const condition = { field: 'method', operator: 'equals', values: ['post'] } as const;
    await apply(nginx, 'away', { rules: [ruleOf({ conditions: [condition], actions: [seen] })] });
    const { text } = await get(nginx, 'away.example');
    expect(text).toMatch(/^HTTP\/1.1 502 [\s\S]*The origin is away.\n$/);
    expect(text).not.toMatch(/x-seen/i);
    const lines = ['POST / HTTP/1.1', 'Host: away.example', 'Content-Length: 0'];
    expect(await rawRequest(nginx.baseUrl, lines)).toMatch(/^HTTP\/1.1 502 [\s\S]*x-seen: post\r/);
    await nginx.stop();
  });
});
