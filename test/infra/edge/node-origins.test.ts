import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createRawServer } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../infra/local/host/listen.ts';
import { eventually } from '../../support/eventually.ts';
import { DnsServer } from './support/dns-server.ts';
import { addressOf } from './support/listen.ts';
import { headersOf, type Internal, visit } from './support/parts-visitor.ts';
import { TestAuthority } from './support/test-authority.ts';
import { TestOrigin } from './support/test-origin.ts';
import { isLeftOut, type RunningParts, startParts } from './support/varnish-and-haproxy.ts';

const longestKept = 256;

/** A server that counts its connections. */
class CountingServer {
  readonly server: Server;
  connections = 0;
  port = 0;

  constructor(server: Server) {
    this.server = server;
    this.server.keepAliveTimeout = 60_000;
    this.server.on('connection', () => {
      this.connections += 1;
    });
  }

  async start(address: string, port = 0): Promise<void> {
    this.server.listen(port, address);
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const answer =
  (text: string): RequestListener =>
  (_, response) =>
    response.end(text);

describe.skipIf(isLeftOut)('HAProxy behind Varnish', () => {
  const authority = new TestAuthority();
  const origin = new TestOrigin();
  const ipv4 = new CountingServer(createServer(answer('IPv4')));
  const ipv6 = new CountingServer(createServer(answer('IPv6')));
  const dns = new DnsServer();
  let parts: RunningParts;
  let inside: RunningParts;
  let originUrl = '';

  beforeAll(async () => {
    originUrl = await origin.start();
    await ipv4.start('127.0.0.1');
    await ipv6.start('::1', ipv4.port);
    const resolver = `nameserver one ${await dns.start()}\n  timeout retry 500ms`;
    const caFile = authority.certificateFile;
    [parts, inside] = await Promise.all([
      startParts({ resolver, caFile }),
      startParts({ resolver, caFile, refusesPrivate: true }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([parts.stop(), inside.stop()]);
    await Promise.all([origin, ipv4, ipv6, dns].map((server) => server.stop()));
    authority.remove();
  });

  let number = 0;
  /** A page that no test had before, of an origin that is asked each time. */
  const page = (base: string, more: Partial<Internal> = {}): Internal => {
    number += 1;
    return { target: `/${number}`, origin: base, cdn: { ttl: 60 }, ...more };
  };
  const ask = (base: string, more: Partial<Internal> = {}) => visit(parts.varnish, page(base, more));
  const away = [502, 'The origin is away.\n'];
  const outcome = async (base: string, running = parts) => {
    const asked = page(base);
    const first = await visit(running.varnish, asked);
    const { status, body, handling } = await visit(running.varnish, asked);
    expect([first.status, first.body]).toEqual([status, body]);
    return handling === 'synth' ? [status, body] : body;
  };

  describe('Addresses', () => {
    test('literal ones and names, of IPv4 and IPv6, with a dot at the end as well', async () => {
      dns.addresses
        .set('four.example', ['127.0.0.1'])
        .set('six.example', ['::1'])
        .set('both.example', ['127.0.0.1', '::1']);
      const hosts = [
        '127.0.0.1',
        '[::1]',
        '[::ffff:127.0.0.1]',
        'four.example',
        'six.example',
        'six.example.',
        'both.example',
      ];
      const seen = await Promise.all(hosts.map((host) => outcome(`http://${host}:${ipv4.port}`)));
      expect(seen).toEqual(['IPv4', 'IPv6', 'IPv4', 'IPv4', 'IPv6', 'IPv6', 'IPv4']);
    });

    test('a name that moves is followed with the next request', async () => {
      for (const [address, text] of [
        ['127.0.0.1', 'IPv4'],
        ['::1', 'IPv6'],
      ] as const) {
        dns.addresses.set('moving.example', [address]);
        expect(await outcome(`http://moving.example:${ipv4.port}`)).toBe(text);
      }
    });

    test('an origin that cannot be reached is 502, and nothing is stored', async () => {
      const nowhere = await freePort();
      dns.addresses.set('empty.example', []).set('down.example', ['127.0.0.1']);
      for (const host of ['unknown.example', 'empty.example', 'down.example', '127.0.0.1'])
        expect([host, await outcome(`http://${host}:${nowhere}`)]).toEqual([host, away]);
    });

    test('private ones are refused when they are connected to, whatever a name resolved to before', async () => {
      const addresses = [
        '127.0.0.1',
        '::1',
        '::ffff:127.0.0.1',
        '::',
        '0.0.0.0',
        '10.0.0.1',
        '169.254.169.254',
        'fe80::1',
        '64:ff9b::7f00:1',
        '2002:7f00:1::',
      ];
      const before = [ipv4.connections, ipv6.connections];
      for (const address of addresses) {
        dns.addresses.set('rebound.example', [address]);
        const literal = address.includes(':') ? `[${address}]` : address;
        for (const host of ['rebound.example', literal])
          for (const scheme of ['http', 'https'])
            expect([address, await outcome(`${scheme}://${host}:${ipv4.port}`, inside)]).toEqual([
              address,
              away,
            ]);
      }
      const names = ['localhost', 'single', 'printer.local', 'metadata.google.internal'];
      for (const name of names) {
        dns.addresses.set(name, ['127.0.0.1']);
        expect([name, await outcome(`http://${name}:${ipv4.port}`, inside)]).toEqual([name, away]);
      }
      expect([ipv4.connections, ipv6.connections]).toEqual(before);
      expect(names.filter((name) => dns.asked.includes(name))).toEqual([]);
      dns.addresses.set('rebound.example', ['127.0.0.1']);
      expect(await outcome(`http://rebound.example:${ipv4.port}`)).toBe('IPv4');
    });
  });

  describe('https', () => {
    const servers: CountingServer[] = [];
    const secure = async (names: string | readonly string[], text: string, by = authority) => {
      const counting = new CountingServer(
        createSecureServer(by.certify(names), answer(text)) as unknown as Server,
      );
      await counting.start('127.0.0.1');
      servers.push(counting);
      return counting;
    };
    let one: CountingServer;
    let two: CountingServer;
    let strange: CountingServer;
    beforeAll(async () => {
      const other = new TestAuthority();
      one = await secure('DNS:one.example', 'one');
      two = await secure(['DNS:*.two.example', 'IP:127.0.0.1', 'DNS:127.0.0.1'], 'two');
      strange = await secure('DNS:strange.example', 'strange', other);
      other.remove();
      for (const name of ['one.example', 'www.two.example', 'two.example', 'strange.example'])
        dns.addresses.set(name, ['127.0.0.1']);
    });
    afterAll(async () => void (await Promise.all(servers.map((server) => server.stop()))));

    test('is served where the certificate proves the name', async () => {
      expect([
        await outcome(`https://one.example.:${one.port}`),
        await outcome(`https://www.two.example:${two.port}`),
      ]).toEqual(['one', 'two']);
    });

    test.each([
      ['another name', 'two.example', () => two],
      ['a name whose connection another one has proven', 'one.example', () => two],
      ['an authority that is not trusted', 'strange.example', () => strange],
      ['an address, which has no name to prove', '127.0.0.1', () => two],
      ['no TLS at all', 'one.example', () => ipv4],
    ])('%s is 502, whatever host is named', async (_, host, server) => {
      const base = `https://${host}:${server().port}`;
      await outcome(`https://www.two.example:${two.port}`);
      expect(await outcome(base)).toEqual(away);
      for (const hostHeader of ['www.two.example', 'one.example'])
        expect((await ask(base, { hostHeader, cdn: { pass: 1 } })).status).toBe(502);
    });

    test('an empty name is 503 of HAProxy, and no connection', async () => {
      const before = one.connections;
      const headers = { 'x-origin-scheme': 'https', 'x-origin-host': '', 'x-origin-port': String(one.port) };
      for (const host of ['', '.']) {
        const { statusCode, body } = await parts.haproxy.request({
          path: '/',
          method: 'GET',
          headers: { ...headers, 'x-origin-host': host },
        });
        await body.dump();
        expect([statusCode, one.connections]).toEqual([503, before]);
      }
    });

    test('connections are kept, while other origins are asked as well', async () => {
      const bases = [`https://one.example:${one.port}`, `https://www.two.example:${two.port}`];
      const before = one.connections;
      for (let count = 0; count < 20; count += 1)
        for (const base of bases) expect((await ask(base, { cdn: { pass: 1 } })).status).toBe(200);
      expect(one.connections - before).toBeLessThan(5);
    });
  });

  describe('What is shared', () => {
    test('connections are kept, for many requests at once', async () => {
      const base = `http://127.0.0.1:${ipv4.port}`;
      const round = () => Promise.all(Array.from({ length: 32 }, () => ask(base, { cdn: { pass: 1 } })));
      await round();
      const before = ipv4.connections;
      for (let count = 0; count < 10; count += 1) await round();
      expect(ipv4.connections - before).toBeLessThan(64);
    });

    test('connections are kept for whoever asks next', async () => {
      const before = ipv4.connections;
      const told = {
        'x-origin-scheme': 'http',
        'x-origin-host': '127.0.0.1',
        'x-origin-port': String(ipv4.port),
      };
      const headers = { ...headersOf(page('http://127.0.0.1')), ...told };
      for (let count = 0; count < 20; count += 1) {
        const { statusCode, body } = await parts.haproxy.request({
          path: '/',
          method: 'GET',
          headers,
          reset: true,
        });
        await body.dump();
        expect(statusCode).toBe(200);
      }
      expect(ipv4.connections - before).toBeLessThan(5);
    });

    describe('that are slow', () => {
      const slow = new TestOrigin();
      let base = '';
      const held: Promise<{ readonly status: number }>[] = [];
      beforeAll(async () => {
        base = await slow.start();
      });
      afterAll(() => slow.stop());
      const slowly = { account: 'slow', cdn: { pass: 1 }, wish: { isHeld: true } };
      /** On a busy machine a name may be resolved too late: who is refused asks again. */
      const persist = (of: string) =>
        eventually(
          () => ask(of, slowly),
          ({ status }) => status !== 502,
        );
      /** Until the origin has all that were held so far. */
      const hold = async (count: number, of: string) => {
        for (let index = 0; index < count; index += 1) held.push(persist(of));
        await eventually(
          async () => slow.held,
          (seen) => seen === held.length,
        );
      };
      const isRefused = async (of: string): Promise<void> => {
        const { status, body } = await ask(of, { account: 'slow' });
        expect([[status, body], slow.requests]).toEqual([away, held.length]);
      };
      const named = (index: number): string => {
        dns.addresses.set(`slow-${index}.example`, ['127.0.0.1']);
        return `http://slow-${index}.example:${new URL(base).port}`;
      };

      test(`one holds ${longestKept} requests, and nothing of another`, async () => {
        await hold(longestKept, base);
        await isRefused(base);
        expect((await ask(originUrl, { account: 'slow' })).status).toBe(200);
      });

      test('an account with many holds 1,000, and nothing of another account', async () => {
        for (let index = 0; index < 2; index += 1) await hold(longestKept, named(index));
        await hold(1_000 - held.length, named(2));
        await isRefused(named(3));
        expect((await ask(originUrl)).status).toBe(200);
      });

      test('what they have at last is served, and they are asked again', async () => {
        slow.release();
        expect((await Promise.all(held)).filter(({ status }) => status !== 200)).toEqual([]);
        await eventually(
          () => ask(base),
          ({ status }) => status === 200,
        );
      });
    });
  });

  describe('Messages', () => {
    const speaking = async (
      listener: RequestListener,
      use: (base: string) => Promise<void>,
    ): Promise<void> => {
      const server = new CountingServer(createServer({ maxHeaderSize: 200_000 }, listener));
      await server.start('127.0.0.1');
      await use(`http://127.0.0.1:${server.port}`).finally(() => server.stop());
    };
    const passed = { cdn: { pass: 1 } };

    test('header lines of 30 KB and headers of 120 KB pass, beyond that the origin is away', async () => {
      const lines: RequestListener = ({ url = '' }, response) => {
        const [count, bytes] = url.slice(1).split('/').map(Number);
        for (let line = 1; line <= (count ?? 0); line += 1)
          response.setHeader(`x-${line}`, 'x'.repeat(bytes ?? 0));
        response.end();
      };
      await speaking(lines, async (base) => {
        for (const [target, bytes] of [
          ['/1/30000', 30_000],
          ['/4/30000', 30_000],
          ['/200/500', 500],
        ] as const) {
          const { status, headers } = await ask(base, { target });
          expect([target, status, headers['x-1']?.length]).toEqual([target, 200, bytes]);
        }
        for (const target of ['/1/40000', '/10/20000'])
          expect([target, (await ask(base, { target })).status]).toEqual([target, 502]);
      });
    });

    test('requests of 32 KB and of 490 header lines pass, with what nginx adds to them', async () => {
      const asked: unknown[] = [];
      const count: RequestListener = ({ headers, url }, response) => {
        asked.push([Object.keys(headers).filter((name) => name.startsWith('x-line-')).length, url?.length]);
        response.end();
      };
      const lines = (number: number, bytes: number) =>
        Object.fromEntries(
          Array.from({ length: number }, (_, line) => [`x-line-${line}`, 'x'.repeat(bytes)]),
        );
      await speaking(count, async (base) => {
        const target = `/${'%22'.repeat(2_600)}`;
        await ask(base, {
          asked: `/${'"'.repeat(7_800)}`,
          target: `/${'%22'.repeat(7_800)}`,
          headers: lines(3, 7_800),
        });
        await ask(base, { target, headers: lines(490, 10) });
      });
      expect(asked).toEqual([
        [3, 7_801],
        [490, 7_801],
      ]);
    });

    test('a host with a comma reaches the origin whole', async () => {
      const { body } = await ask(originUrl, { hostHeader: 'one.example,two.example' });
      expect(JSON.parse(body).hostname).toBe('one.example,two.example');
    });

    test('a URL as the visitor spelled it, bytes beyond ASCII too', async () => {
      const received: string[] = [];
      const raw = createRawServer((socket) => {
        socket.once('data', (bytes) => {
          received.push(bytes.toString('latin1').split(' ', 2).join(' '));
          socket.end('HTTP/1.1 204 No Content\r\n\r\n');
        });
      });
      const asked = '/%7Ea//b?%c3%a9={}|^`"<>\u00e9';
      expect((await ask(await addressOf(raw), { asked, ...passed })).status).toBe(204);
      expect(received).toEqual([`GET ${asked}`]);
      raw.close();
    });

    test('HEAD, 204 and 304 have no body, and keep the connection', async () => {
      expect(await ask(originUrl, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
      for (const status of [204, 304])
        expect(await ask(originUrl, { wish: { status }, ...passed })).toMatchObject({ status, body: '' });
      expect(await ask(originUrl)).toMatchObject({ status: 200 });
    });

    test('bodies are streamed, up and down', async () => {
      const told = Promise.withResolvers<void>();
      const coding: (string | undefined)[] = [];
      const echo: RequestListener = async (request, response) => {
        coding.push(request.headers['transfer-encoding']);
        for await (const chunk of request) if (chunk.length > 0) told.resolve();
        response.write('first');
        await released.promise;
        response.end('second');
      };
      const released = Promise.withResolvers<void>();
      await speaking(echo, async (base) => {
        const body = async function* () {
          yield 'x'.repeat(1_000_000);
          await told.promise;
          yield 'the rest';
        };
        const sent = headersOf(page(base, passed));
        const response = await parts.varnish.request({
          path: '/',
          method: 'POST',
          headers: sent,
          body: Readable.from(body()),
        });
        const text: string[] = [];
        for await (const chunk of response.body) {
          text.push(String(chunk));
          released.resolve();
        }
        expect([coding, text]).toEqual([['chunked'], ['first', 'second']]);
      });
    });

    test('a large body passes whole', async () => {
      const large = 'x'.repeat(5_000_000);
      await speaking(
        (request, response) => void request.pipe(response),
        async (base) => {
          const { body } = await ask(base, { method: 'POST', body: large, ...passed });
          expect(body === large).toBe(true);
        },
      );
    });

    test('a kept connection that the origin closes instead of responding costs no visitor an error', async () => {
      const used = new Set<unknown>();
      const closing: RequestListener = ({ socket }, response) => {
        if (used.has(socket)) return void socket.destroy();
        used.add(socket);
        response.end('first');
      };
      await speaking(closing, async (base) => {
        for (let count = 0; count < 10; count += 1) expect((await ask(base)).body).toBe('first');
      });
      expect(used.size).toBe(10);
    });
  });

  describe('A fixed backend', () => {
    let fixed: RunningParts;
    beforeAll(async () => {
      fixed = await startParts({ backend: `localhost:${ipv4.port}` });
    });
    afterAll(() => fixed.stop());

    test('is asked whatever else is named', async () => {
      expect((await visit(fixed.varnish, page('https://192.0.2.1', { cdn: { pass: 1 } }))).body).toBe('IPv4');
    });
  });
});
