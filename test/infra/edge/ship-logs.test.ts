import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { volume } from '../../support/volume.ts';
import { LogCollector } from './support/log-collector.ts';
import { type RunningShipper, startShipper } from './support/shipper.ts';

const mebibyte = 1024 * 1024;

let folder: string;
let dir: string;
let tokenFile: string;
let collector: LogCollector;
let api: string;
let shipper: RunningShipper;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cdn-ship-logs-'));
  dir = join(folder, 'log');
  mkdirSync(dir);
  tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'edge_token\n');
  collector = new LogCollector();
  api = await collector.start();
});
afterEach(async () => {
  await shipper?.end('SIGKILL');
  await collector.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(): void {
  shipper = startShipper(dir, api, tokenFile);
}

function log(number = 0): string {
  return join(dir, `access.log.1795167000.00000${number}`);
}

function lineOf(target: string): string {
  return `{"ts":1795167000.250,"h":"www.example.com","m":"GET","u":"${target}","s":200,"b":90,"hd":"miss"}`;
}

function linesOf(name: string, count: number): string {
  return Array.from(
    { length: count },
    (_, index) => `${lineOf(`/${name}/${index}/${'x'.repeat(900)}`)}\n`,
  ).join('');
}

function received(count: number): Promise<unknown> {
  return eventually(
    async () => collector.lines.length,
    (seen) => seen >= count,
  );
}

test('every line arrives once: killed again and again, an API that is away, file after file', async () => {
  const count = volume(20_000, 100_000);
  const linesPerFile = count / 2;
  const writer: ChildProcess = fork(
    'test/infra/edge/support/log-writer.mjs',
    [dir, count, linesPerFile].map(String),
  );
  const written = once(writer, 'message');
  start();
  for (let kills = 0; kills < volume(4, 12); kills += 1) {
    collector.status = kills % 4 === 3 ? 503 : 200;
    await sleep(100 + Math.random() * 300);
    await shipper.end('SIGKILL');
    start();
  }
  collector.status = 200;
  await written;
  const last = log(count / linesPerFile - 1);
  appendFileSync(last, linesOf('enough-to-be-sent-at-once', 1_200));
  const numbered = await eventually(
    async () => collector.lines.flatMap((line) => /"u":"\/(\d+)\//.exec(line)?.[1] ?? []),
    ({ length }) => length >= count,
  );
  expect(new Set(numbered).size).toBe(count);
  expect([numbered.length, collector.conflicts]).toEqual([count, []]);
  expect([...collector.tokens]).toEqual(['edge_token']);
  const names = await eventually(
    async () => readdirSync(dir).filter((name) => /\.log/.test(name)),
    ({ length }) => length === 1,
  );
  expect(names).toEqual([basename(last)]);
});

test('a batch whose response was lost is sent again as it was, after a restart too', async () => {
  collector.status = 500;
  writeFileSync(log(), linesOf('first', 1_200));
  start();
  await eventually(
    async () => shipper.output(),
    (text) => text.includes('500 told to'),
  );
  await shipper.end('SIGKILL');
  const { start: from, end } = JSON.parse(readFileSync(join(dir, 'ship-logs.json'), 'utf8'));
  expect([from, end]).toEqual([0, statSync(log()).size]);
  appendFileSync(log(), linesOf('second', 1_200));
  collector.status = 200;
  start();
  await received(2_400);
  expect(collector.batchSizes[0]).toBe(1_200);
  expect([collector.lines.length, collector.conflicts]).toEqual([2_400, []]);
});

test('a line that is still being written waits for its end', async () => {
  const whole = linesOf('whole', 1_200);
  writeFileSync(log(), whole + lineOf('/half').slice(0, 40));
  start();
  await received(1_200);
  await sleep(1_500);
  expect(collector.lines).toHaveLength(1_200);
  appendFileSync(log(), `${lineOf('/half').slice(40)}\n${linesOf('more', 1_200)}`);
  await received(2_401);
  expect(collector.lines[1_200]).toBe(lineOf('/half'));
});

test('a line that is longer than the API takes is shortened, and counts', async () => {
  writeFileSync(log(), `${lineOf(`/${'y'.repeat(40_000)}`)}\n${linesOf('more', 1_200)}`);
  start();
  await received(1_201);
  expect(JSON.parse(collector.lines[0] ?? '')).toMatchObject({ h: 'www.example.com', s: 200 });
  expect(collector.lines[0]?.length).toBeLessThan(2_000);
});

const served = { ts: '1795167000.250000', s: 200, b: 90, c: 'miss', hd: 'miss' };

/** Texts of any length whose characters grow when they are escaped or decoded. */
const longText = fc
  .tuple(
    fc.constantFrom('x', '"', '\\', '\u0000', '\u2028', '%22', '文', '\u{1f600}', '\ud800', '\u00ff'),
    fc.integer({ min: 0, max: 4_000 }),
  )
  .map(([unit, count]) => unit.repeat(count));

const longLine = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .record({ h: longText, m: longText, u: longText })
      .map((texts) => JSON.stringify({ ...served, ...texts }))
      // What fits into single bytes goes as such, and is no UTF-8.
      .map((line) => Buffer.from(line, /[\u0100-\uffff]/.test(line) ? 'utf8' : 'latin1')),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('[', '{"a":', '"', '{}'), fc.integer({ min: 1, max: 16_000 }))
      .map(([unit, count]) => Buffer.from(unit.repeat(count))),
  },
);

test('whatever is in a line, it comes short enough, and with all that is counted where it can be read', async () => {
  const lines = fc.sample(longLine, 120);
  writeFileSync(log(), Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])));
  start();
  await received(lines.length);
  expect(collector.lines).toHaveLength(lines.length);
  for (const [index, line] of lines.entries()) {
    const sent = collector.lines[index] ?? '';
    expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(16 * 1024);
    const text = line.toString();
    if (!text.startsWith('{"ts"')) continue;
    const { h, ...others } = JSON.parse(sent);
    expect(others).toMatchObject(served);
    expect(h.slice(0, 300)).toBe(JSON.parse(text).h.slice(0, 300));
  }
});

test('files are taken oldest first, and one that was begun anew from its start', async () => {
  writeFileSync(log(0), linesOf('a', 1_200));
  writeFileSync(log(1), linesOf('b', 1_200));
  // Taken for one that has been quiet for long.
  utimesSync(log(0), 0, 0);
  start();
  await received(2_400);
  const order = collector.lines.map((line) => /"u":"\/(\w)/.exec(line)?.[1]).join('');
  expect(order).toBe('a'.repeat(1_200) + 'b'.repeat(1_200));
  writeFileSync(log(1), linesOf('c', 1_100));
  await received(3_500);
  expect(collector.lines).toHaveLength(3_500);
});

test('while nothing can be sent the log stays as small as it was told to', async () => {
  collector.status = 503;
  for (let part = 0; part < 6; part += 1) writeFileSync(log(part), linesOf(`${part}`, 12_000));
  shipper = startShipper(dir, api, tokenFile, ['--keep', '30']);
  const total = async () =>
    readdirSync(dir).reduce(
      (sum, name) => sum + (name.includes('.log') ? statSync(join(dir, name)).size : 0),
      0,
    );
  await eventually(total, (size) => size <= 30 * mebibyte);
  expect(shipper.output()).toMatch(/are dropped unsent/);
});

test('a second one in the same directory ends at once, and after a kill the next one begins', async () => {
  writeFileSync(log(), linesOf('first', 1_200));
  start();
  await received(1_200);
  const second = startShipper(dir, api, tokenFile);
  await once(second.process, 'exit');
  expect([second.process.exitCode, second.output()]).toEqual([
    1,
    expect.stringMatching(/^ship-logs: another ship-logs is at work in .*\n$/),
  ]);
});

const misuses: readonly (readonly [string, readonly string[], number, RegExp])[] = [
  ['no directory', ['--api', 'http://a', '--token-file', 'x'], 2, /--dir is missing; usage: ship-logs --dir/],
  ['no token', ['--dir', '/tmp', '--api', 'http://a'], 2, /--token-file is missing/],
  ['no address', ['--dir', '/tmp', '--api', 'a', '--token-file', 'x'], 2, /--api must be http/],
  ['an unknown option', ['--colour', 'red'], 2, /Unknown option '--colour'/],
  [
    'an absurd size',
    ['--dir', '/tmp', '--api', 'http://a', '--token-file', 'x', '--keep', 'all'],
    2,
    /--keep/,
  ],
  [
    'a directory that is not there',
    ['--dir', '/nowhere', '--api', 'http://a', '--token-file', 'x'],
    1,
    /\/nowhere/,
  ],
  [
    'a token that is not there',
    ['--dir', '/tmp', '--api', 'http://a', '--token-file', '/nowhere'],
    1,
    /\/nowhere/,
  ],
];

test.each(misuses)('%s: one line and the right exit', (_, flags, status, text) => {
  const ended = spawnSync('infra/edge/ship-logs', flags, { encoding: 'utf8' });
  expect([ended.status, ended.stderr.trimEnd().split('\n')]).toEqual([status, [expect.stringMatching(text)]]);
});
