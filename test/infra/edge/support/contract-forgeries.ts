import { request } from 'undici';
import { beforeEach, expect, test } from 'vitest';
import { urlKey } from '../../../../shared/edge/cache-keys.ts';
import { headers, type PurgeCommand, sign } from '../../../../shared/edge/purge-protocol.ts';
import { type Bench, secret } from './bench.ts';

const hostname = 'www.victim.example';
const ask = { hostname, target: '/', wish: { headers: { 'surrogate-key': 'tag' } } };
const keys = urlKey(hostname, '/');

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function command(change: Partial<PurgeCommand> = {}): PurgeCommand {
  return {
    time: now(),
    mode: 'hard',
    keys,
    ...change,
  };
}

type HeaderPairs = readonly (readonly [string, string])[];

function headersOf({ time, mode, keys: named }: PurgeCommand, signature: string): HeaderPairs {
  return [
    [headers.time, String(time)],
    [headers.mode, mode],
    [headers.keys, named],
    [headers.signature, signature],
  ];
}

function signed(change: Partial<PurgeCommand> = {}): HeaderPairs {
  return headersOf(command(change), sign(secret, command(change)));
}

const forgeries: readonly {
  readonly name: string;
  readonly status: 400 | 401;
  readonly pairs: () => HeaderPairs;
}[] = [
  { name: 'no headers', status: 400, pairs: () => [] },
  { name: 'no signature', status: 401, pairs: () => headersOf(command(), '') },
  { name: 'another secret', status: 401, pairs: () => headersOf(command(), sign('guess', command())) },
  {
    name: 'a signature cut short',
    status: 401,
    pairs: () => headersOf(command(), sign(secret, command()).slice(0, -1)),
  },
  {
    name: 'other keys',
    status: 401,
    pairs: () => headersOf(command(), sign(secret, command({ keys: urlKey('mine.example', '/') }))),
  },
  {
    name: 'another mode',
    status: 401,
    pairs: () => headersOf(command(), sign(secret, command({ mode: 'check' }))),
  },
  {
    name: 'another time',
    status: 401,
    pairs: () => headersOf(command(), sign(secret, command({ time: now() - 5 }))),
  },
  { name: 'a replay after 62 s', status: 401, pairs: () => signed({ time: now() - 62 }) },
  { name: 'a time 62 s ahead', status: 401, pairs: () => signed({ time: now() + 62 }) },
  { name: 'a mode twice', status: 400, pairs: () => [...signed(), [headers.mode, 'hard']] },
  { name: 'a time twice', status: 400, pairs: () => [...signed(), [headers.time, String(now())]] },
];

/** Only for edges of the signed purge protocol, which it speaks itself. */
export function refusesForgeries(bench: () => Bench): void {
  beforeEach(async () => {
    await bench().client.ask(ask);
    expect(await bench().client.isHit(ask)).toBe(true);
  });

  const send = async (method: 'PURGE' | 'GET' | 'POST', pairs: HeaderPairs): Promise<number> => {
    const { statusCode, body } = await request(bench().running.baseUrl, { method, headers: pairs.flat() });
    await body.dump();
    return statusCode;
  };

  test.each(forgeries)('$name: $status, and nothing is gone', async ({ pairs, status }) => {
    expect(await send('PURGE', pairs())).toBe(status);
    expect(await bench().client.isHit(ask)).toBe(true);
  });

  test('keys twice: refused, and nothing is gone', async () => {
    expect([400, 401]).toContain(await send('PURGE', [...signed(), [headers.keys, keys]]));
    expect(await bench().client.isHit(ask)).toBe(true);
  });

  test.each(['GET', 'POST'] as const)('%s with a right signature purges nothing', async (method) => {
    await send(method, signed());
    expect(await bench().client.isHit(ask)).toBe(true);
  });

  test('clocks may differ by almost a minute', async () => {
    expect(await send('PURGE', signed({ time: now() - 55 }))).toBe(200);
    expect(await send('PURGE', signed({ time: now() + 55 }))).toBe(200);
  });
}
