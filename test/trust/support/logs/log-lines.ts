import fc from 'fast-check';
import { words } from '../../../infra/edge/support/words.ts';

/** How a line counts. */
export interface Counted {
  readonly site: number;
  readonly status: number;
  readonly bytes: number;
  readonly cache: 'hits' | 'misses' | 'passes';
}

/** A line of a log in Latin-1, and what becomes of it. */
export interface LogLine {
  readonly text: string;
  readonly fate: Counted | 'rejected' | 'unknownHost' | 'blank';
}

/** Host names that properties have, and the time. */
export interface Scene {
  readonly hosts: readonly string[];
  /** Unix seconds. */
  readonly now: number;
}

export type MakeLine = (scene: Scene) => LogLine;

const day = 24 * 3600;
const handlings = {
  hits: ['hit'],
  misses: ['miss', 'hitmiss'],
  passes: ['pass', 'hitpass', 'pipe', 'synth', 'error'],
} as const;

/** What visitors can bring in: what ends a text early, grows, or is no UTF-8. */
const naughty = [
  ...words(
    String.raw`/ /a?b=c&d %22 \" \\ \u0000 \\u0022 \u2028 \ud800 \n \r\n {} [] ' < </script> __proto__ %00 $ {{7*7}}`,
  ),
  '","s":404,"x":"'.replaceAll('"', String.raw`\"`),
  '\xff\xfe',
  '\xc3\x28',
  '\xf0\x9f\x98\x80',
  'x'.repeat(1_500),
  '\xe2\x80\xae',
];
const said = fc.array(fc.constantFrom(...naughty), { maxLength: 4 }).map((parts) => parts.join(''));

const spellings: readonly ((host: string) => string)[] = [
  (host) => host,
  (host) => host.toUpperCase(),
  (host) => `${host}:8080`,
  (host) => `${host}.`,
  (host) => `${host}.:80`,
  (host) => `${host}:`,
  (host) => host.replace(/^s/, String.raw`\u0073`),
];

const right = fc.record({
  cache: fc.constantFrom('hits' as const, 'misses' as const, 'passes' as const),
  kind: fc.nat(10),
  status: fc.integer({ min: 100, max: 599 }),
  bytes: fc.oneof(fc.constant(0), fc.nat(1_000_000_000)),
  site: fc.nat(10),
  spell: fc.constantFrom(...spellings),
  minutesAgo: fc.oneof({ weight: 15, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(34 * 24 * 60) }),
  isNumber: fc.boolean(),
  form: fc.nat(5),
  method: said,
  target: said,
});

const good: fc.Arbitrary<MakeLine> = right.map((drawn) => ({ hosts, now }) => {
  const { cache, status, bytes, spell, form, method, target } = drawn;
  const site = drawn.site % hosts.length;
  const time = now - drawn.minutesAgo * 60;
  const ts = drawn.isNumber ? String(time + 0.25) : `"${time}.250000"`;
  const handling = handlings[cache][drawn.kind % handlings[cache].length];
  const fields = [
    `"ts":${ts}`,
    `"h":"${spell(hosts[site] ?? '')}"`,
    `"m":"${method === 'PURGE' ? '' : method}"`,
    `"u":"/${target}"`,
    `"s":${status}`,
    `"b":${bytes === 0 && form === 1 ? '-' : bytes}`,
    `"hd":"${handling}"`,
    `"ttfb":${form === 2 ? '' : '0.000123'}`,
  ];
  const text = `{${(form === 3 ? fields.toReversed() : fields).join(form === 4 ? ' ,\t' : ',')}}`;
  return { text, fate: { site, status, bytes, cache } };
});

/** Longer than the API takes: a shipper shortens what it can read. */
export const longLine: fc.Arbitrary<MakeLine> = fc
  .tuple(good, fc.integer({ min: 16 * 1024, max: 60_000 }))
  .map(([makeLine, length]) => (scene) => {
    const { text, fate } = makeLine(scene);
    const long = text.replace('"u":"/', `"u":"/${'y'.repeat(length)}`);
    return { text: long, fate: isJson(long) ? fate : 'rejected' };
  });

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A right line but for one field. */
const changes =
  words(`s:99 s:600 s:"200" s:200.5 s:null s:1e9 b:-1 b:1.5 b:"x" b:9007199254740992 b:true hd:"luck" hd:""
  hd:null hd:"__proto__" hd:"constructor" hd:"HIT" m:"PURGE" h:7 h:null h:[] h:{} ts:"" ts:"soon" ts:null ts:-1 ts:[] ts:1e400
  ts:"-5" ts:0 ts:1 ts:true`);
const broken = [
  ...words(
    '{"ts":1 [] null "x" 7 {} {"__proto__":{"ts":1}} true x [[[[ }{ \u00ff \u00ef\u00bb\u00bf{} \\ {"a":1}{"b":2} NaN',
  ),
  ' ',
  '\t',
  '\x00',
  '['.repeat(9_000),
  '{"a":'.repeat(3_000),
  'x'.repeat(16 * 1024 - 1),
];
const nobodys = [
  'nobody.example.com',
  '127.0.0.1',
  '',
  'localhost',
  'a b',
  'x'.repeat(300),
  '\xe9.example.com',
  'site-1',
  '%00',
];

function lineOf(now: number, change: Readonly<Record<string, string>>): string {
  const fields = {
    ts: `"${now}"`,
    h: '"nobody.example.com"',
    m: '"GET"',
    u: '"/"',
    s: '200',
    b: '1',
    hd: '"hit"',
    ...change,
  };
  return `{${Object.entries(fields)
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')}}`;
}

const wrong: fc.Arbitrary<MakeLine> = fc.constantFrom(...changes).map((change) => ({ now }) => {
  const [name = '', ...value] = change.split(':');
  return { text: lineOf(now, { [name]: value.join(':') }), fate: 'rejected' };
});
const outOfTime: fc.Arbitrary<MakeLine> = fc
  .constantFrom(-36 * day, 2 * 3600, 400 * day)
  .map((seconds) => ({ now }) => ({
    text: lineOf(now + seconds, {}),
    fate: 'rejected',
  }));
const unreadable: fc.Arbitrary<MakeLine> = fc
  .constantFrom(...broken)
  .map((text) => () => ({ text, fate: 'rejected' }));
const ofNobody: fc.Arbitrary<MakeLine> = fc.constantFrom(...nobodys).map((host) => ({ now }) => ({
  text: lineOf(now, { h: JSON.stringify(host) }),
  fate: 'unknownHost',
}));

/** Most of them count. */
export const logLine: fc.Arbitrary<MakeLine> = fc.oneof(
  { weight: 8, arbitrary: good },
  { weight: 1, arbitrary: wrong },
  { weight: 1, arbitrary: outOfTime },
  { weight: 1, arbitrary: unreadable },
  { weight: 1, arbitrary: ofNobody },
);
