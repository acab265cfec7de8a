import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressRanges, isInternalHost } from '../../../shared/property/origin.ts';
import { eventually } from '../../support/eventually.ts';
import { volume } from '../../support/volume.ts';
import { haproxyConfiguration } from './support/filled-templates.ts';
import { end, isLeftOut, poolOf, start } from './support/varnish-and-haproxy.ts';

const runs = volume(300, 20_000);

const configuration = haproxyConfiguration({ dir: '/', refusesPrivate: true });

function rangesOf(acl: string): readonly string[] {
  return new RegExp(`acl ${acl} .* -m ip (.*)`).exec(configuration)?.[1]?.split(' ') ?? [];
}

/** HAProxy that judges addresses by the node's own lines, and connects to none. */
function judging(socket: string): string {
  const lines = configuration
    .split('\n')
    .filter((line) => /^ +acl |refuses_inside|txn\.literal|request deny/.test(line));
  const judged = lines.filter((line) => !line.includes('do-resolve'));
  return [
    ...['defaults', '  mode http', '  timeout client 10s', '  timeout http-keep-alive 10s', 'frontend judge'],
    ...[`  bind unix@${socket}`, '  http-request set-var(txn.host) req.hdr(x-origin-host)', ...judged],
    ...['  http-request return status 200', ''],
  ].join('\n');
}

/** The first and the last address of a range, and those beside it. */
function bordersOf(range: string): readonly string[] {
  const [address = '', prefix] = range.split('/');
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(prefix));
  return [first - 1, first, first + size - 1, first + size]
    .filter((value) => value >= 0 && value < 2 ** 32)
    .map((value) => [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join('.'));
}

const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
const ipv6 = fc
  .tuple(
    fc.constantFrom(
      '2000',
      '2001:0',
      '2001:1',
      '2002',
      '2003',
      '3fff',
      '4000',
      '1fff',
      'fe80',
      'fc00',
      'ff02',
      '64:ff9b',
    ),
    group,
  )
  .map(([start, last]) => `${start}::${last}`);
const names = [
  'localhost',
  'a.localhost',
  'single',
  'printer.local',
  'metadata.google.internal',
  'a.lan',
  'x.home',
  'corp',
];

describe.skipIf(isLeftOut)('Addresses inside some network', () => {
  const dir = mkdtempSync(join(tmpdir(), 'cdn-judge-'));
  const socket = join(dir, 'judge.sock');
  let pool: Pool;
  let program: ReturnType<typeof start>;
  const isRefused = async (host: string): Promise<boolean> => {
    const { statusCode, body } = await pool.request({
      path: '/',
      method: 'GET',
      headers: { 'x-origin-host': host },
    });
    await body.dump();
    return statusCode !== 200;
  };
  beforeAll(async () => {
    writeFileSync(join(dir, 'judge.cfg'), judging(socket));
    program = start('haproxy', '-db', '-f', join(dir, 'judge.cfg'));
    pool = poolOf(socket);
    await eventually(
      () => isRefused('8.8.8.8').catch(() => undefined),
      (refused) => refused === false,
    );
  });
  afterAll(async () => {
    await pool.destroy();
    await end(program);
    rmSync(dir, { recursive: true });
  });

  test('the ranges are those that the API refuses', () => {
    expect({
      internalIPv4: rangesOf('is_inside'),
      publicIPv6: rangesOf('is_public_ipv6'),
      wrappedIPv4: rangesOf('is_wrapped_ipv4'),
    }).toEqual(addressRanges);
  });

  test('HAProxy refuses exactly what the API refuses', async () => {
    const borders = addressRanges.internalIPv4.flatMap(bordersOf);
    const others = ['::', '::1', '::7f00:1', '2001:db8::1', '2606:4700::1', 'www.example', 'local.example'];
    for (const host of [...borders, ...borders.map((address) => `::ffff:${address}`), ...names, ...others])
      expect([host, await isRefused(host)]).toEqual([host, isInternalHost(host)]);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.ipV4(), fc.ipV6(), ipv6), async (host) => {
        expect([host, await isRefused(host)]).toEqual([host, isInternalHost(host)]);
      }),
      { numRuns: runs, seed: 1 },
    );
  });
});
