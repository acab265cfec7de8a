import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { listen } from '../../../infra/local/host/listen.ts';
import { backends, type ImmediateDriverName } from '../../../shared/edge/backends.ts';
import { EdgeFailure, type EdgeFailureKind } from '../../../shared/edge/driver.ts';
import type { ImmediateEdge } from '../../../shared/edge/edge.ts';
import { immediateDrivers } from '../../../shared/edge/immediate-drivers.ts';
import { namesOf } from '../../../shared/ground/names.ts';

const secret = 'a-secret-that-only-this-test-knows';
const internals = 'Fault: at Cache.purge (/srv/edge/cache.js:17)';
const all = { type: 'all', soft: false, hostnames: ['www.example.com'], values: [] } as const;

/** What becomes of a request, and what it is to the driver. */
interface Trouble {
  readonly name: string;
  readonly kind: EdgeFailureKind;
  /** Where the driver's own limit would be waited for. */
  readonly limitMilliseconds?: number;
  respond(socket: Socket, request: string): unknown;
}

/** A response that tells all it knows, what it was sent included. */
function status(code: number, kind: EdgeFailureKind): Trouble {
  const head = `HTTP/1.1 ${code} ${internals}\r\nConnection: close\r\n\r\n`;
  return {
    name: `${code}`,
    kind,
    respond: (socket, request) => socket.end(`${head}${internals} ${request}`),
  };
}

function body(text: string): Trouble {
  const head = `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n`;
  return { name: `200 and ${text}`, kind: 'unreachable', respond: (socket) => socket.end(head + text) };
}

const silence: Trouble = { name: 'silence', kind: 'unreachable', respond: () => undefined };

const endless: Trouble = {
  name: 'a response without end',
  kind: 'unreachable',
  respond: (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${internals.repeat(1_000)}`),
};

const troubles: readonly Trouble[] = [
  { name: 'a closed connection', kind: 'unreachable', respond: (socket) => socket.destroy() },
  {
    name: 'half a response',
    kind: 'unreachable',
    limitMilliseconds: 100,
    respond: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{'),
  },
  endless,
  { name: 'garbage', kind: 'unreachable', respond: (socket) => socket.end(`${internals}\r\n\r\n`) },
  ...[500, 502, 503, 504].map((code) => status(code, 'unreachable')),
  ...[401, 403].map((code) => status(code, 'denied')),
];

/** What else a driver can tell apart. */
const ownTroubles: Readonly<Record<ImmediateDriverName, readonly Trouble[]>> = {
  varnish: [status(400, 'refused'), body('<html>'), body('{}'), body('{"removed":"all"}')],
};

let server: Server;
const sockets = new Set<Socket>();

async function startEdge(driver: ImmediateDriverName, { respond }: Trouble): Promise<ImmediateEdge> {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('data', (data) => respond(socket, data.toString('latin1')));
  });
  const url = `http://127.0.0.1:${await listen(server, 0, 'the edge')}`;
  return { id: 'e', driver, tier: 'edge', url, secret: backends[driver].hasSecret ? secret : undefined };
}

async function stopEdge(): Promise<void> {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
}

afterEach(stopEdge);

describe.each(namesOf(immediateDrivers))('the driver %s', (driver) => {
  const { prepare, check } = immediateDrivers[driver];

  const expectFailures = async (
    edge: ImmediateEdge,
    kind: EdgeFailureKind,
    limitMilliseconds?: number,
  ): Promise<void> => {
    const calls = [prepare(all)(edge, limitMilliseconds), check(edge, limitMilliseconds)];
    const failures = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(EdgeFailure);
      expect(failure).toMatchObject({ kind, message: expect.stringMatching(/^.{10,200}$/) });
      for (const hidden of [secret, internals, new URL(edge.url).host])
        expect(String(failure)).not.toContain(hidden);
    }
  };

  test.each([...troubles, ...ownTroubles[driver]])('$name: $kind, and no more is told', async (trouble) => {
    await expectFailures(await startEdge(driver, trouble), trouble.kind, trouble.limitMilliseconds);
  });

  test('a response without end is cut off for its length, not for its time', async () => {
    await expect(check(await startEdge(driver, endless))).rejects.toThrow('without end');
  });

  test('a closed port: unreachable', async () => {
    const edge = await startEdge(driver, silence);
    await stopEdge();
    await expectFailures(edge, 'unreachable');
  });

  test.runIf(backends[driver].hasSecret)(
    'a secret that cannot be decrypted: unreachable, and nothing is sent',
    async () => {
      const edge = await startEdge(driver, silence);
      await expectFailures({ ...edge, secret: undefined }, 'unreachable');
      expect(sockets.size).toBe(0);
    },
  );

  test('silence: unreachable, at its own limit or at one that is given', async () => {
    const edge = await startEdge(driver, silence);
    let isOver = false;
    const own = expectFailures(edge, 'unreachable').finally(() => {
      isOver = true;
    });
    await expectFailures(edge, 'unreachable', 100);
    expect(isOver).toBe(false);
    await own;
  });
});
