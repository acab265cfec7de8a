import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import type { Environment } from '../../../infra/local/lambda/environments.ts';
import { FunctionError, type LocalFunction } from '../../../infra/local/lambda/execution-environment.ts';
import { FunctionPool } from '../../../infra/local/lambda/function-pool.ts';
import { eventually } from '../../support/eventually.ts';

/** Does what the event says, or crashes. */
class Held implements Environment {
  alive = true;
  isBusy = false;
  readonly name: string;

  constructor({ name }: LocalFunction) {
    this.name = name;
    held.push(this);
  }

  async invoke(event: unknown): Promise<unknown> {
    expect([this.alive, this.isBusy]).toEqual([true, false]);
    this.isBusy = true;
    if (event === 'crash') {
      this.alive = false;
      throw new FunctionError('Runtime.ExitError', 'crashed');
    }
    const value = await (event as () => Promise<unknown>)();
    this.isBusy = false;
    return value;
  }

  async terminate(): Promise<void> {
    expect(this.isBusy).toBe(false);
    this.alive = false;
  }
}

let held: Held[];
let pool: FunctionPool;

beforeEach(() => {
  vi.useFakeTimers();
  held = [];
  pool = new FunctionPool(new PassThrough(), (source) => new Held(source));
  pool.load(
    Array.from({ length: 50 }, (_, number) => ({
      name: `f${number}`,
      directory: '',
      handlerName: '',
      memoryMegabytes: 512,
      timeoutSeconds: 15,
      environment: {},
    })),
  );
});
afterEach(() => vi.useRealTimers());

const names = Array.from({ length: 50 }, (_, number) => `f${number}`);

function alive(): readonly string[] {
  return held.filter((each) => each.alive).map(({ name }) => name);
}

function takes(milliseconds: number): () => Promise<string> {
  return () => new Promise((resolve) => setTimeout(() => resolve('done'), milliseconds));
}

function invokeAll(functions: readonly string[], milliseconds: number): Promise<unknown> {
  return Promise.all(functions.map((name) => pool.invoke(name, takes(milliseconds))));
}

async function settle(work: Promise<unknown>): Promise<unknown> {
  await vi.advanceTimersByTimeAsync(29_000);
  return work;
}

test('all functions together hold 20 environments, and the one longest idle makes way for another function', async () => {
  const first = invokeAll(names.slice(0, 20), 10);
  await vi.advanceTimersByTimeAsync(20);
  await first;
  expect(alive()).toEqual(names.slice(0, 20));
  const another = pool.invoke('f20', takes(10));
  await vi.advanceTimersByTimeAsync(20);
  await another;
  expect(alive()).toEqual(names.slice(1, 21));
  await vi.advanceTimersByTimeAsync(21_000);
  expect(alive()).toEqual([]);
});

test('whoever waits is served in turn, however many ask at a time', async () => {
  const all = invokeAll(
    names.flatMap((name) => Array<string>(8).fill(name)),
    50,
  );
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, alive().length);
  }, 1);
  expect(new Set((await settle(all)) as string[])).toEqual(new Set(['done']));
  clearInterval(watch);
  expect(most).toBe(20);
});

test('one function holds six at most, so that the queues’ consumers leave room for requests', async () => {
  const consumers = invokeAll([...Array<string>(30).fill('f0'), ...Array<string>(30).fill('f1')], 4_000);
  const request = pool.invoke('f2', takes(10));
  await vi.advanceTimersByTimeAsync(20);
  expect(await request).toBe('done');
  expect(alive()).toHaveLength(13);
  await settle(consumers);
});

test('a function that invokes another does not wait for those that hold environments, itself among them', async () => {
  const calls = names.slice(0, 20).map((name, number) =>
    pool.invoke(name, async () => {
      await takes(10)();
      return pool.invoke(names[20 + number] ?? '', takes(10), { isNested: true });
    }),
  );
  await vi.advanceTimersByTimeAsync(5);
  expect(alive()).toHaveLength(20);
  await vi.advanceTimersByTimeAsync(20);
  expect(await Promise.all(calls)).toEqual(calls.map(() => 'done'));
  await vi.advanceTimersByTimeAsync(20);
  expect(alive().length).toBeLessThanOrEqual(20);
});

test('an environment that crashed makes way for another, and who finds none in 30 s is told', async () => {
  await expect(pool.invoke('f0', 'crash')).rejects.toThrow('crashed');
  const long = invokeAll(Array<string>(6).fill('f0'), 40_000);
  const refused = expect(pool.invoke('f0', takes(1))).rejects.toThrow('f0 is too busy');
  await vi.advanceTimersByTimeAsync(31_000);
  await refused;
  expect(alive()).toHaveLength(6);
  await settle(long);
});

/** A pool of threads with one function of this code. @returns the lines that it logs when the function is invoked */
async function linesOf(code: string, count: number): Promise<readonly string[]> {
  vi.useRealTimers();
  const directory = mkdtempSync(join(inject('folder'), 'function-'));
  writeFileSync(join(directory, 'index.mjs'), code);
  const log = new PassThrough();
  const threads = new FunctionPool(log);
  const limits = { memoryMegabytes: 128, timeoutSeconds: 0.3, environment: {} };
  threads.load([{ name: 'f', directory, handlerName: 'index.handler', ...limits }]);
  const invoked = threads.invoke('f', { requestContext: { requestId: 'r1' } });
  await invoked.catch((error: unknown) => expect(error).toBeInstanceOf(FunctionError));
  let text = '';
  const lines = await eventually(
    async () => {
      text += log.read() ?? '';
      return text.split('\n').slice(0, -1);
    },
    ({ length }) => length >= count,
  );
  await threads.terminate();
  return lines;
}

test.each([
  [
    'fails to load',
    'throw new TypeError("no such thing")',
    { message: 'f could not be loaded', cause: { cause: { name: 'TypeError', message: 'no such thing' } } },
  ],
  [
    'throws',
    'export const handler = () => { throw new TypeError("no such thing") }',
    { message: 'no such thing', stack: expect.stringMatching(/TypeError: no such thing\n.*index\.mjs/s) },
  ],
  [
    'crashes',
    'export const handler = () => { setImmediate(() => { throw new TypeError("no such thing") }); return new Promise(() => {}) }',
    { message: 'no such thing', cause: { stack: expect.stringContaining('index.mjs') } },
  ],
  ['ends', 'export const handler = () => process.exit()', { message: 'the environment ended' }],
  [
    'takes too long',
    'export const handler = () => new Promise((resolve) => setTimeout(resolve, 5_000))',
    { message: 'timed out after 0.3 seconds' },
  ],
])('a function that %s is logged with the cause and the id of its request', async (_, code, error) => {
  const logged = { level: 'ERROR', message: { message: 'function f failed', requestId: 'r1', error } };
  const isThrown = code.includes('handler = () => { throw');
  const lines = (await linesOf(code, isThrown ? 2 : 1)).map((line) => JSON.parse(line));
  expect(lines.filter(({ message }) => message.requestId)).toMatchObject([logged]);
});

/** Each call, and the line that Lambda's runtime client 3.3.0 wrote for it, without the time and the frames of stacks. */
const calls = [
  [
    "console.log({ message: 'done', propertyId: 'p' })",
    '{"level":"INFO","requestId":"R","message":{"message":"done","propertyId":"p"}}',
  ],
  ["console.info('text\\nof two lines')", '{"level":"INFO","requestId":"R","message":"text\\nof two lines"}'],
  ['console.debug()', '{"level":"DEBUG","requestId":"R"}'],
  ["console.trace('%s of', 1, { two: 2 })", '{"level":"TRACE","requestId":"R","message":"1 of { two: 2 }"}'],
  [
    "console.warn('purge', new TypeError('wrong'))",
    '{"level":"WARN","requestId":"R","message":"purge TypeError: wrong","errorType":"TypeError","errorMessage":"wrong","stackTrace":["TypeError: wrong"]}',
  ],
  [
    "console.error({ message: 'failed', error: Object.assign(new RangeError('far'), { code: 'E' }) })",
    '{"level":"ERROR","requestId":"R","message":{"message":"failed","error":{"errorType":"RangeError","errorMessage":"far","stackTrace":["RangeError: far"],"code":"E"}}}',
  ],
  [
    "const circular = { name: 'c' }; circular.self = circular; console.error(circular)",
    '{"level":"ERROR","requestId":"R","message":"<ref *1> { name: \'c\', self: [Circular *1] }"}',
  ],
  ['process.stdout.write(\'{"_aws":{}}\\n\')', '{"_aws":{}}'],
  [
    "throw Object.assign(new SyntaxError('thrown'), { kind: 'k' })",
    '{"level":"ERROR","requestId":"R","message":{"errorType":"SyntaxError","errorMessage":"thrown","stackTrace":["SyntaxError: thrown"],"kind":"k"}}',
  ],
] as const;

/** Without what differs from call to call. */
function constant(line: string): string {
  return line
    .replace(/"timestamp":"[\dT:.-]{23}Z",/, '')
    .replace(/"requestId":"[\da-f-]{36}"/, '"requestId":"R"')
    .replace(/," {4}at [^"]*"/g, '')
    .replace(/\\n {4}at [^"\\]*/g, '');
}

test('what a function writes becomes the lines of Lambda’s JSON format, byte for byte', async () => {
  const statements = calls.map(([statement]) => statement).join(';\n');
  const lines = (await linesOf(`export const handler = () => {\n${statements}\n}`, calls.length + 1)).map(
    constant,
  );
  const own = lines.filter((line) => !line.includes('function f failed'));
  expect(own).toEqual(calls.map(([, line]) => line));
});
