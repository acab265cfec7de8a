import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type LogLine, logLine, type MakeLine, type Scene } from './log-lines.ts';

/** How a batch is put into a request. */
interface Form {
  readonly newline: string;
  readonly hasFinalNewline: boolean;
  readonly packing: keyof typeof packings;
  readonly contentType: string | undefined;
}

const half = (bytes: Buffer) => Math.floor(bytes.length / 2);

const packings = {
  plain: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => gzipSync(bytes),
  stored: (bytes: Buffer) => gzipSync(bytes, { level: 0 }),
  members: (bytes: Buffer) =>
    Buffer.concat([gzipSync(bytes.subarray(0, half(bytes))), gzipSync(bytes.subarray(half(bytes)))]),
} as const;

/** What is done to a request so that nothing of it may count, and the status that says so. */
export const damages = {
  'wrong token': 401,
  'no token': 401,
  'two tokens': 401,
  'truncated gzip': 400,
  'broken gzip': 400,
  empty: 400,
  'plain as gzip': 400,
  'long key': 400,
  'other encoding': 415,
  'other type': 415,
  'long line': 413,
  'many lines': 413,
  bomb: 413,
} as const;
export type Damage = keyof typeof damages;

export interface Batch {
  readonly lines: readonly LogLine[];
  /** Unpacked. */
  readonly text: Buffer;
  readonly body: Buffer;
  readonly headers: readonly (readonly [string, string])[];
}

const mebibyte = 1024 * 1024;
const bomb = gzipSync(Buffer.alloc(40 * mebibyte, '\n'));
const manyLines = gzipSync('x\n'.repeat(50_001));

const form: fc.Arbitrary<Form> = fc.record({
  newline: fc.constantFrom('\n', '\n', '\r\n'),
  hasFinalNewline: fc.boolean(),
  packing: fc.constantFrom('plain', 'gzip', 'stored', 'members'),
  contentType: fc.constantFrom(
    undefined,
    'application/x-ndjson',
    'application/json',
    'text/plain; charset=utf-8',
  ),
});

/** One batch of the history: in what form it comes, how often, and what was sent in its place before. */
export interface Plan {
  readonly form: Form;
  readonly makeLines: readonly MakeLine[];
  readonly hasKey: boolean;
  readonly times: number;
  readonly isAtOnce: boolean;
  readonly damage: Damage | undefined;
  /** Another body under its key, afterwards. */
  readonly isReused: boolean;
}

export const blank: MakeLine = () => ({ text: '', fate: 'blank' });
const oneIn = (count: number) => fc.nat(count - 1).map((drawn) => drawn === 0);

export const plan: fc.Arbitrary<Plan> = fc.record({
  form,
  makeLines: fc.array(
    fc.oneof({ weight: 20, arbitrary: logLine }, { weight: 1, arbitrary: fc.constant(blank) }),
    {
      minLength: 1,
      maxLength: 60,
      size: 'max',
    },
  ),
  hasKey: fc.boolean(),
  times: fc.integer({ min: 1, max: 3 }),
  isAtOnce: fc.boolean(),
  damage: fc.option(fc.constantFrom(...(Object.keys(damages) as Damage[])), { freq: 1, nil: undefined }),
  isReused: oneIn(4),
});

/** A batch as an edge sends it. */
export const onceAndWhole: Omit<Plan, 'makeLines'> = {
  form: { newline: '\n', hasFinalNewline: true, packing: 'gzip', contentType: undefined },
  hasKey: true,
  times: 1,
  isAtOnce: false,
  damage: undefined,
  isReused: false,
};

export function batchOf(
  lines: readonly LogLine[],
  { newline, hasFinalNewline, packing, contentType }: Form,
): Batch {
  const joined = lines.map((line) => line.text).join(newline) + (hasFinalNewline ? newline : '');
  // The API refuses a body of no byte at all.
  const text = Buffer.from(joined === '' ? '\n' : joined, 'latin1');
  const encoding = packing === 'plain' ? [] : [['Content-Encoding', 'gzip'] as const];
  const type = contentType === undefined ? [] : [['Content-Type', contentType] as const];
  return { lines, text, body: packings[packing](text), headers: [...encoding, ...type] };
}

export function linesOf(makeLines: readonly MakeLine[], scene: Scene): readonly LogLine[] {
  return makeLines.map((makeLine) => makeLine(scene));
}

/** @param headers of the right request, with its token first */
export function damaged(
  damage: Damage,
  { text, body }: Batch,
  headers: Batch['headers'],
): Pick<Batch, 'body' | 'headers'> {
  const gzip = gzipSync(text);
  const [token = ['X-Edge-Token', ''], ...others] = headers;
  switch (damage) {
    case 'wrong token':
      return { body, headers: [['X-Edge-Token', `${token[1].slice(0, -1)}!`], ...others] };
    case 'no token':
      return { body, headers: others };
    case 'two tokens':
      return { body, headers: [token, ...headers] };
    case 'truncated gzip':
      return { body: gzip.subarray(0, -1 - (text.length % (gzip.length - 3))), headers };
    case 'broken gzip':
      return { body: flipped(gzip, 12), headers };
    case 'empty':
      return { body: Buffer.alloc(0), headers: [token] };
    case 'plain as gzip':
      return { body: text, headers: [token, ['Content-Encoding', 'gzip']] };
    case 'long key':
      return { body, headers: [token, ['Idempotency-Key', 'x'.repeat(256)]] };
    case 'other encoding':
      return { body, headers: [token, ['Content-Encoding', 'br']] };
    case 'other type':
      return { body, headers: [token, ['Content-Type', 'text/html']] };
    case 'long line':
      return {
        body: gzipSync(Buffer.concat([text, Buffer.from('\n'), Buffer.alloc(16 * 1024 + 1, 'x')])),
        headers: [token],
      };
    case 'many lines':
      return { body: manyLines, headers: [token] };
    case 'bomb':
      return { body: bomb, headers: [token] };
  }
}

function flipped(bytes: Buffer, at: number): Buffer {
  const others = Buffer.from(bytes);
  others[at] = (bytes[at] ?? 0) ^ 0xff;
  return others;
}
