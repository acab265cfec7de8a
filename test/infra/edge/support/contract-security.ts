import { request } from 'undici';
import { beforeEach, expect, test } from 'vitest';
import { urlKey } from '../../../../shared/edge/cache-keys.ts';
import { immediateDrivers } from '../../../../shared/edge/immediate-drivers.ts';
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

  test('a check changes nothing, and tells a wrong secret', async () => {
    const { edge } = bench().running;
    const { check } = immediateDrivers[edge.driver];
    await check(edge);
    expect(await bench().client.isHit(ask)).toBe(true);
    await expect(check({ ...edge, secret: 'guess' })).rejects.toMatchObject({
      name: 'EdgeFailure',
      kind: 'denied',
    });
  });

  test('neither a client nor an origin names keys of another tenant', async () => {
    const forged = { xkey: keys, 'x-hashtwo': keys, 'x-forwarded-host': hostname };
    const mine = {
      hostname: 'mine.example',
      target: '/',
      headers: { ...forged, 'surrogate-key': 'client' },
      wish: { headers: forged },
    };
    await bench().client.ask(mine);
    await bench().purge({ type: 'url', soft: false, hostnames: [hostname], values: ['/'] });
    const byTag = { type: 'tag', soft: false, hostnames: ['mine.example'], values: ['client'] } as const;
    await bench().purge(byTag);
    expect([await bench().client.isHit(mine), await bench().client.isHit(ask)]).toEqual([true, false]);
  });
}
