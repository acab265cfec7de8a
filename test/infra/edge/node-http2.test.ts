import type { IncomingMessage } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { headers as purgeHeaders, sign } from '../../../shared/edge/purge-protocol.ts';
import { eventually } from '../../support/eventually.ts';
import { volume } from '../../support/volume.ts';
import { type Bench, secret, startBench } from './support/bench.ts';
import { unkeyed } from './support/contract-headers.ts';
import { type Fields, Http2Frames, type StreamResponse } from './support/http2-frames.ts';
import { describeNode, type RunningNode, startNode } from './support/node-kit.ts';
import { TestOrigin } from './support/test-origin.ts';
import { TlsKit } from './support/tls-kit.ts';

const hostname = 'two.example';

/** It reads what it is sent, as far as that comes. */
class ReadingOrigin extends TestOrigin {
  readonly targets: string[] = [];
  lastBody = '';
  lastLines: readonly string[] = [];

  protected override async contentOf(request: IncomingMessage) {
    this.lastLines = request.rawHeaders;
    this.targets.push(request.url ?? '');
    this.lastBody = await text(request).catch(() => '');
    return super.contentOf(request);
  }
}

/** A request as both versions of HTTP can say it. */
interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly host?: string;
  readonly headers?: Fields;
}

describeNode('A node that is asked by HTTP/2', () => {
  const tls = new TlsKit();
  const origin = new ReadingOrigin();
  let bench: Bench;
  let node: RunningNode;
  let connection: Http2Frames;
  beforeAll(async () => {
    tls.put('two.pem', [hostname, '*.two.example']);
    bench = await startBench(
      {
        name: 'The edge node',
        refuses: () => false,
        async start(backend, key) {
          node = await startNode({ backend }, key, { flags: await tls.flags() });
          return node;
        },
      },
      origin,
    );
    connection = await connected();
  });
  afterEach(() => expect(node.output()).not.toMatch(/nginx: .*\[(?:warn|error|crit|alert)\]/));
  afterAll(async () => {
    connection.close();
    await bench.stop();
    tls.remove();
  });

  const connected = async (localAddress = '127.0.0.1') =>
    new Http2Frames(await tls.connect(hostname, { ALPNProtocols: ['h2'], localAddress }));
  const fieldsOf = ({ method = 'GET', target = '/', host = hostname, headers = [] }: Sent): Fields => [
    [':method', method],
    [':scheme', 'https'],
    [':path', target],
    [':authority', host],
    ...headers,
  ];

  /** The same by HTTP/1.1, over TLS too. */
  const sendByHttp1 = async ({ method = 'GET', target = '/', host = hostname, headers = [] }: Sent) => {
    const socket = await tls.connect(hostname);
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    const request = [`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...lines, 'Connection: close', '', ''];
    socket.setEncoding('latin1').write(request.join('\r\n'), 'latin1');
    const response = await text(socket);
    return { status: Number(response.split(' ')[1]), body: response.split('\r\n\r\n')[1] ?? '' };
  };

  /** Whether other visitors are served. */
  const serves = async () => (await connection.request(fieldsOf({}))).status === 200;

  describe('a browser', () => {
    let session: ClientHttp2Session;
    beforeAll(() => {
      session = connect(tls.baseUrl, { ca: tls.authority.certificate, servername: hostname });
    });
    afterAll(() => session.close());
    const ask = async (method: string, path: string, body?: Buffer, headers: Record<string, string> = {}) => {
      const stream = session.request({
        ':method': method,
        ':path': path,
        ':authority': hostname,
        ...headers,
      });
      stream.end(body);
      const seen = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
      return { ...seen, body: await text(stream) } as Record<string, unknown> & { readonly body: string };
    };

    test('gets nothing of what an origin says of its own connection', async () => {
      const wish = {
        'x-wish': JSON.stringify({ headers: { 'proxy-connection': 'keep-alive', 'x-a': '1' } }),
      };
      const response = await ask('GET', '/connection', undefined, wish);
      expect(response).toMatchObject({ ':status': 200, 'x-a': '1' });
      expect(response).not.toHaveProperty('proxy-connection');
    });

    test('gets, heads, posts, and gets hits', async () => {
      const wish = { 'x-wish': JSON.stringify({ headers: { 'x-a': '1' } }) };
      const first = await ask('GET', '/page?b&a', undefined, wish);
      expect(first).toMatchObject({ ':status': 200, 'x-cache': 'MISS', 'x-a': '1' });
      expect(JSON.parse(first.body)).toMatchObject({ hostname, target: '/page?b&a' });
      expect(await ask('GET', '/page?a&b')).toMatchObject({ ':status': 200, 'x-cache': 'HIT' });
      expect(await ask('HEAD', '/page?a&b')).toMatchObject({ ':status': 200, 'x-cache': 'HIT', body: '' });
      expect(await ask('DELETE', '/page')).toMatchObject({ ':status': 200, 'x-cache': 'MISS' });
    });

    test('sends and gets bodies that are longer than any window', async () => {
      const body = Buffer.alloc(3_000_000, 'x');
      const wish = { 'x-wish': JSON.stringify({ paddingBytes: 5_000_000 }) };
      const { body: received } = await ask('POST', '/large', body, wish);
      expect([received.length > 5_000_000, origin.lastBody.length]).toEqual([true, body.length]);
    });

    test('has as many requests under way as it was told', async () => {
      await ask('GET', '/first');
      expect(session.remoteSettings?.maxConcurrentStreams).toBe(128);
      const wish = { 'x-wish': JSON.stringify({ isHeld: true }) };
      const asked = Array.from({ length: 128 }, (_, number) =>
        ask('GET', `/held/${number}`, undefined, wish),
      );
      await eventually(
        async () => origin.held,
        (held) => held === 128,
      );
      origin.release();
      expect((await Promise.all(asked)).map((response) => response[':status'])).toEqual(asked.map(() => 200));
    });

    test('has its cookies, which come in pieces, in one line', async () => {
      const pieces: Fields = ['a=1', 'b=2', 'c=3'].map((piece) => ['cookie', piece]);
      const { status } = await connection.request(fieldsOf({ target: '/cookies', headers: pieces }));
      expect([status, origin.lastHeaders.cookie]).toEqual([200, 'a=1; b=2; c=3']);
    });
  });

  test('a purge comes through', async () => {
    await connection.request(fieldsOf({ target: '/purged' }));
    const time = Math.floor(Date.now() / 1000);
    const keys = `h/${hostname}`;
    const signature = sign(secret, { time, mode: 'hard', keys });
    const headers: Fields = [
      [purgeHeaders.time, String(time)],
      [purgeHeaders.mode, 'hard'],
      [purgeHeaders.keys, keys],
    ];
    const purge = (given: string) =>
      connection.request(
        fieldsOf({ method: 'PURGE', headers: [...headers, [purgeHeaders.signature, given]] }),
      );
    expect((await purge('forged')).status).toBe(401);
    const { status, body } = await purge(signature);
    expect([status, JSON.parse(body).removed > 0]).toEqual([200, true]);
  });

  describe('is as strict as by HTTP/1.1', () => {
    const long = (length: number) => 'a'.repeat(length);
    const lines = (count: number): Fields =>
      Array.from({ length: count }, (_, number) => [`x-${number}`, '1']);
    const asked: readonly (readonly [what: string, sent: Sent, status: number])[] = [
      ...['TRACE', 'CONNECT', 'PROPFIND', 'X'].map((method) => [method, { method }, 405] as const),
      ['no method', { method: '' }, 400],
      ['two methods', { method: 'GET GET' }, 400],
      ['an unsigned purge', { method: 'PURGE' }, 400],
      ['a host without a certificate', { host: 'other.example' }, 421],
      ['a host in capitals, with a port', { host: 'TWO.example:443' }, 200],
      ['no host', { host: '' }, 400],
      ['a host that is none', { host: 'two..example' }, 400],
      ['two hosts in one', { host: 'two.example, www.two.example' }, 400],
      ['two hosts', { headers: [['host', 'www.two.example']] }, 400],
      ['the same host twice', { headers: [['host', hostname]] }, 400],
      ...[
        '',
        'a',
        '*',
        '/../a',
        '/..%2fa',
        '/a/%2e%2E/b',
        '/a\\b',
        '/%00',
        '/%zz',
        '/a b',
        '/a\tb',
        '/a\x7f',
      ].map((target) => [`the target ${JSON.stringify(target)}`, { target }, 400] as const),
      ['bytes beyond ASCII', { target: '/\xc3\xa9?\xc3\xa9' }, 200],
      ['a long target', { target: `/${long(7_000)}` }, 200],
      ['many header lines', { headers: lines(490) }, 200],
      ['too many header lines', { headers: lines(501) }, 400],
      ['a long header line', { headers: [['x-long', long(8_000)]] }, 200],
      ['a loop', { headers: [['cdn-loop', Array(9).fill('a').join()]] }, 508],
    ];

    test.each(asked)('%s', async (_, sent, status) => {
      const byHttp1 = await sendByHttp1(sent);
      const before = origin.requests;
      const other = await connected();
      const byHttp2 = await other.request(fieldsOf(sent));
      other.close();
      expect([byHttp1.status, byHttp2.status]).toEqual([status, status]);
      if (status === 200) return;
      expect([byHttp2.body, origin.requests]).toEqual([byHttp1.body, before]);
    });

    /** What ends in a stream, or a connection, that is no more. */
    const malformed: readonly (readonly [what: string, fields: Fields])[] = [
      ['a name in capitals', [['X-CDN-Pass', '1']]],
      ['a line within a value', [['x-a', '1\r\nx-cdn-pass: 1']]],
      ['a new line within a value', [['x-a', '1\nx-cdn-pass: 1']]],
      ['a zero within a value', [['x-a', '1\0']]],
      ['a colon within a name', [['x-a: 1', '1']]],
      ['a space within a name', [['x a', '1']]],
      ['a line within a name', [['x-a\r\nx-cdn-pass', '1']]],
      ['an empty name', [['', '1']]],
      ['an unknown pseudo-header', [[':a', '1']]],
      ['a second path', [[':path', '/other']]],
      ['a second host', [[':authority', 'www.two.example']]],
      ['a line that is too long', [['x-long', long(8_300)]]],
      ['lines that are too long together', Array.from({ length: 6 }, (_, n) => [`x-${n}`, long(6_000)])],
    ];

    test.each(malformed)('%s: nothing of it comes through', async (_, headers) => {
      const before = origin.requests;
      const other = await connected();
      const { status = 400, body } = await other.request(fieldsOf({ target: '/malformed', headers }));
      other.close();
      expect([status, origin.requests, body.includes('epoch')]).toEqual([400, before, false]);
      expect(await serves()).toBe(true);
    });

    test('no word of a visitor reaches the origin that must not, in whatever spelling', async () => {
      const internal = [
        'x-cdn-key',
        'x-cdn-pass',
        'x-cdn-fetch',
        'x-cdn-url',
        'x-cdn-set-a',
        'x-origin-host',
      ];
      for (const separator of ['-', '_', '.', '~', '|']) {
        const headers: Fields = [...internal, ...unkeyed].map((name) => [
          name.toLowerCase().replaceAll('-', separator),
          'evil',
        ]);
        const target = `/internal/${separator.charCodeAt(0)}`;
        expect((await connection.request(fieldsOf({ target, headers }))).status).toBe(200);
        expect(origin.lastTarget).toBe(target);
        expect(origin.lastLines.filter((line) => line.includes('evil'))).toEqual([]);
        expect(origin.lastHeaders).toMatchObject({
          'x-forwarded-host': hostname,
          'x-forwarded-proto': 'https',
          'x-forwarded-for': '127.0.0.1',
        });
        expect(await bench.client.isHit({ hostname, target })).toBe(false);
        const again = await connection.request(fieldsOf({ target }));
        expect([again.status, JSON.parse(again.body).target]).toEqual([200, target]);
      }
    });

    test('what is for one connection alone ends here', async () => {
      const headers: Fields = [
        ['connection', 'x-nominated'],
        ['x-nominated', '1'],
        ['te', 'trailers'],
        ['upgrade', 'websocket'],
        ['keep-alive', '1'],
        ['proxy-connection', '1'],
        ['http2-settings', '1'],
      ];
      const { status } = await connection.request(fieldsOf({ method: 'OPTIONS', target: '/hop', headers }));
      expect([status, origin.lastTarget]).toEqual([200, '/hop']);
      for (const name of ['x-nominated', 'te', 'upgrade', 'proxy-connection', 'http2-settings'])
        expect(origin.lastHeaders).not.toHaveProperty(name);
    });

    test('a body is a body, whatever a header says of it', async () => {
      const body = '0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: two.example\r\n\r\n';
      for (const headers of [[], [['transfer-encoding', 'chunked']]] as readonly Fields[]) {
        const before = origin.requests;
        const { status } = await connection.request(fieldsOf({ method: 'POST', headers }), body);
        expect([status, origin.requests, origin.lastBody]).toEqual([200, before + 1, body]);
      }
      for (const length of ['2', '500', '-1', '1,2', 'x'])
        for (const method of ['POST', 'GET']) {
          const fields = fieldsOf({ method, target: '/length', headers: [['content-length', length]] });
          const other = await connected();
          const { status = 400 } = await other.request(fields, body);
          other.close();
          expect([length, status]).toEqual([length, 400]);
        }
      expect(origin.lastTarget).not.toBe('/smuggled');
    });
  });

  describe('who asks without an end', () => {
    const many = volume(2_000, 20_000);

    /** Does something on a connection of its own; other visitors are served meanwhile and after. */
    const flood = async (work: (other: Http2Frames) => readonly Promise<StreamResponse>[]) => {
      const other = await connected();
      const responses = work(other);
      expect(await serves()).toBe(true);
      const seen = await Promise.all(responses);
      other.close();
      expect(await serves()).toBe(true);
      return seen;
    };

    test('and takes each request back, keeps nobody else from being served', async () => {
      const ask = (number: number) => fieldsOf({ target: `/reset/${number % 10}` });
      await flood((other) => Array.from({ length: many }, (_, number) => other.requestAndReset(ask(number))));
    });

    test('for more at once than it was told, is refused them', async () => {
      const headers: Fields = [['x-wish', JSON.stringify({ isHeld: true })]];
      const seen = await flood((other) =>
        Array.from({ length: 400 }, (_, number) =>
          other.request(fieldsOf({ method: 'OPTIONS', target: `/many/${number}`, headers })),
        ),
      );
      origin.release();
      expect(seen.every(({ isReset }) => isReset)).toBe(true);
      const asked = origin.targets.filter((target) => target.startsWith('/many/'));
      expect(asked.length).toBeLessThanOrEqual(128);
    });

    test('on many connections, gets 503 beyond 1,000 at once, and takes nothing from another address', async () => {
      const headers: Fields = [['x-wish', JSON.stringify({ isHeld: true })]];
      const connections = await Promise.all(Array.from({ length: 9 }, () => connected()));
      const statuses: (number | undefined)[] = [];
      const all = connections.flatMap((each) =>
        Array.from({ length: 120 }, async () => {
          const { status } = await each.request(fieldsOf({ method: 'OPTIONS', target: '/wait', headers }));
          statuses.push(status);
        }),
      );
      await eventually(
        async () => [origin.targets.filter((target) => target === '/wait').length, statuses.length],
        ([waiting, refused]) => waiting === 1_000 && refused === 80,
      );
      expect(new Set(statuses)).toEqual(new Set([503]));
      const other = await connected('127.0.0.2');
      expect((await other.request(fieldsOf({ target: '/other' }))).status).toBe(200);
      origin.release();
      await Promise.all(all);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1_000);
      for (const each of [...connections, other]) each.close();
    });

    test('sends header lines, pings or nothing but frames, loses the connection alone', async () => {
      const [refused] = await flood((other) => [other.sendUnended([['x-a', 'a'.repeat(4_000)]], 100)]);
      expect(refused?.status ?? 400).toBe(400);
      await flood((other) => {
        for (let number = 0; number < many; number += 1) other.ping();
        return [other.request(fieldsOf({}))];
      });
    });
  });
});
