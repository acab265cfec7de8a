import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { LogCollector } from './support/log-collector.ts';
import { type RunningShipper, startShipper } from './support/shipper.ts';

const lineCount = 1_024;

/** One mebibyte, which is sent at once, and not before it is whole. */
function linesOf(name: string): readonly string[] {
  return Array.from({ length: lineCount }, (_, index) => `/${name}/${index}/`.padEnd(1_023, 'x'));
}

/** A log, what stands in for the API, and shippers of which each but the last was killed. */
class Case {
  readonly collector = new LogCollector();
  private readonly folder = mkdtempSync(join(tmpdir(), 'cdn-ship-logs-'));
  private readonly shippers: RunningShipper[] = [];
  private readonly tokenFile = `${this.folder}.token`;
  private api = '';

  async open(): Promise<this> {
    onTestFinished(() => this.close());
    writeFileSync(this.tokenFile, 'edge_token');
    this.api = await this.collector.start();
    return this;
  }

  log(lines: readonly string[]): void {
    appendFileSync(
      join(this.folder, 'access.log.1795167000.000000'),
      lines.map((line) => `${line}\n`).join(''),
    );
  }

  async startShipper(): Promise<void> {
    await this.shippers.at(-1)?.end('SIGKILL');
    this.shippers.push(startShipper(this.folder, this.api, this.tokenFile));
  }

  /** What all shippers have said. */
  output(): string {
    return this.shippers.map((shipper) => shipper.output()).join('');
  }

  async received(count: number): Promise<readonly string[]> {
    const { lines } = this.collector;
    await eventually(
      async () => lines.length,
      (seen) => seen >= count,
    );
    return lines;
  }

  private async close(): Promise<void> {
    await this.shippers.at(-1)?.end('SIGKILL');
    await this.collector.stop();
    for (const path of [this.folder, this.tokenFile]) rmSync(path, { recursive: true, force: true });
  }
}

type Respond = (response: ServerResponse) => void;

function json(
  status: number,
  headers: Record<string, string> = {},
  body: unknown = { message: 'not now' },
): Respond {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function page(status: number, headers: Record<string, string> = {}): Respond {
  return (response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<!DOCTYPE html>\n<p>no\n');
}

function raw(text: string): Respond {
  return ({ socket }) => socket?.end(text);
}

/** What the API, or what stands in its place, says for a while; and how the shipper tells it. */
const responses: readonly (readonly [name: string, first: readonly Respond[], told: string])[] = [
  ...[401, 403, 405, 408, 425, 429, 500, 502, 503, 504].map(
    (status) => [`${status}`, [json(status)], `${status} not now\n`] as const,
  ),
  ['404', [json(404)], '404 not now (is --api right?)\n'],
  ...[400, 409, 413, 415, 422].map(
    (status) => [`${status} to everything`, [json(status), json(status)], `${status} not now\n`] as const,
  ),
  ['409 for now', [json(409, { 'retry-after': '1' })], '409 not now\n'],
  ['a page with 400', [page(400), page(400)], '400 and no response of the API (is --api right?)\n'],
  ['a page with 200', [page(200)], '200 and no response of the API (is --api right?)\n'],
  [
    'other JSON with 200',
    [json(200, {}, { ok: true })],
    '200 and no response of the API (is --api right?)\n',
  ],
  ['null with 200', [json(200, {}, null)], '200 and no response of the API (is --api right?)\n'],
  ['no content', [(response) => response.writeHead(204).end()], '204 and no response of the API'],
  ['a redirect', [page(307, { location: 'http://127.0.0.1:9/' })], '307 to http://127.0.0.1:9/ and no'],
  ['a reset', [({ socket }) => socket?.resetAndDestroy()], 'ECONNRESET\n'],
  ['an early end', [raw('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"mess')], ''],
  ['no HTTP', [raw('220 mail.example.com ESMTP\r\n')], ''],
  ['nonsense in many lines', [json(500, {}, { message: 'a\nb\u001b[2J' })], '500 a b [2J\n'],
];

/** Shippers at work at the same time, each of which meets some of the responses. */
const atOnce = 7;

test('whatever the API says for a while, the very same batch is sent again, and nothing is dropped', async () => {
  const seen: unknown[] = [];
  const meetSome = async (from: number): Promise<void> => {
    const one = await new Case().open();
    await one.startShipper();
    for (let index = from; index < responses.length; index += atOnce) {
      const [name = '', first = [], told = ''] = responses[index] ?? [];
      const said = one.output().length;
      one.collector.first.push(...first);
      one.log(linesOf(name));
      await one.received(lineCount);
      const output = one.output().slice(said);
      const isTold = output.startsWith('ship-logs: not sent yet: ') && output.includes(told);
      seen.push([name, one.collector.lines.splice(0), one.collector.conflicts, isTold || output]);
    }
    expect(one.collector.batchSizes).toEqual(one.collector.batchSizes.map(() => lineCount));
  };
  await Promise.all(Array.from({ length: atOnce }, (_, from) => meetSome(from)));
  expect(new Set(seen)).toEqual(new Set(responses.map(([name]) => [name, linesOf(name), [], true])));
});

test('of a batch that is refused for good only the lines at fault are dropped, over kills at any moment', async () => {
  const one = await new Case().open();
  const statuses = new Map(
    [0, 600, 601, lineCount - 1].map((at, index) => [at, [400, 413, 415, 422][index]]),
  );
  const lines = linesOf('good').map(
    (line, at) => `${statuses.has(at) ? `refused-${statuses.get(at)} ` : ''}${line}`,
  );
  const good = lines.filter((line) => !line.startsWith('refused'));
  one.collector.refusalOf = (body) => {
    const [, status] = /refused-(\d+)/.exec(body) ?? [];
    return status === undefined ? undefined : Number(status);
  };
  one.log(lines);
  for (let kills = 0; kills < 8; kills += 1) {
    await one.startShipper();
    await sleep(100 + Math.random() * 300);
  }
  await one.startShipper();
  expect(await one.received(good.length)).toEqual(good);
  expect(one.collector.conflicts).toEqual([]);
  const told = / is dropped, number \d+ since the start: (\d+) told to\n/g;
  const dropped = async () => new Set([...one.output().matchAll(told)].map(([, status]) => status));
  await eventually(dropped, ({ size }) => size === 4);
  expect(one.output()).toMatch(
    /ship-logs: the line of \d+ bytes at byte 0 of access\.log\.1795167000\.000000 is/,
  );
});

test('a batch whose key the API knows with another body does not stop those after it', async () => {
  const one = await new Case().open();
  one.collector.refusalOf = (body) => (body.includes('/known/') ? 409 : undefined);
  one.log(linesOf('known'));
  await one.startShipper();
  const told = 'a batch is counted as another version of ship-logs has sent it: 409 told to\n';
  await eventually(
    async () => one.output(),
    (output) => output.includes(told),
  );
  one.log(linesOf('next'));
  expect(await one.received(lineCount)).toEqual(linesOf('next'));
});

test('a batch has fewer lines than the API takes', async () => {
  const one = await new Case().open();
  one.log(Array.from({ length: 70_000 }, (_, index) => `{"u":"/${index}/${'x'.repeat(60)}"}`));
  await one.startShipper();
  expect(new Set(await one.received(70_000)).size).toBe(70_000);
  expect(one.collector.batchSizes).toEqual([25_000, 25_000, 20_000]);
});
