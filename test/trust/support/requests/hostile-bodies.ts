import fc from 'fast-check';
import type { Endpoint } from '../../../../shared/http/endpoint.ts';
import { drawn } from '../seed.ts';
import { type Attack, exampleBodies, plainRequest } from './attack.ts';
import { at, isObject, type Place, placesIn, withMember, without, withText } from './json-places.ts';
import { naughtyText, naughtyTexts } from './naughty-texts.ts';

type Odd = Pick<Attack, 'name' | 'body' | 'isRefused'>;

/** As JSON has them, of every type; some are too large, too exact or too small for a double. */
const values = [
  ...['null', 'true', 'false', '0', '-0', '-1', '1', '1.5', '1e2', '1.0', '4294967296', '9007199254740991'],
  ...['1e308'],
  ...['""', '"x"', '"null"', '"1"', '[]', '{}', '[[]]', '[{}]', '[null]', '["x"]', '[1,"x"]', '{"x":1}'],
  ...['{"$gt":""}'],
  ...['{"S":"x"}', '{"constructor":{"prototype":{"x":1}}}', '{"length":1}', '{"toJSON":"x"}'],
  ...[`${'['.repeat(500)}${']'.repeat(500)}`],
];

const refusedValues = [
  ...['1e400', '-1e400', '1e-400', '9007199254740993', '0.1000000000000000055', '9'.repeat(400)],
  ...['undefined', 'NaN', 'Infinity', '01', '+1', '.5', '1.', '0x10', "'x'", 'x', '/**/1', '1//', '1,'],
  ...['"\0"', '"\n"'],
  ...['"\\x41"', '"\\u12"', '"x', '[', '{', '[1,]', '{"x":1,}', '{x:1}', '"\\ud800"', '"\\udc00\\ud800"'],
  ...['"\\ufffe"', '"\\uffff"'],
  ...['{"__proto__":{"x":1}}', '{"x":1,"x":2}', '{"\\u0078":1,"x":2}'],
];

const unknownNames = [
  ...['colour', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'],
  ...['__defineGetter__', '0', ''],
  ...['\u0000', 'x'.repeat(5_000), 'näme', '{planted}', 'x{planted}', '<script>', '\u202ename', 'a.b'],
  ...['$where', 'accountId '],
];

/** Everything that is odd in one place of the endpoint's bodies. */
export function oddPlaces(endpoint: Endpoint): readonly Attack[] {
  return exampleBodies(endpoint).flatMap((body) =>
    [...placesIn(body).flatMap((place) => inPlace(body, place)), ...oddWholes(body)].map((odd) => ({
      ...plainRequest(endpoint),
      ...odd,
    })),
  );
}

/** Several places at once, each with a text or a value. */
export function drawnBodies(endpoint: Endpoint, count: number): readonly Attack[] {
  const bodies = exampleBodies(endpoint);
  if (bodies.length === 0) return [];
  const content = fc.oneof(
    { arbitrary: naughtyText.map((text) => JSON.stringify(text)), weight: 3 },
    { arbitrary: fc.constantFrom(...values), weight: 1 },
    { arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)), weight: 1 },
  );
  const change = fc.tuple(fc.nat({ max: 1_000 }), content);
  const changed = fc.tuple(fc.constantFrom(...bodies), fc.array(change, { minLength: 1, maxLength: 3 }));
  return fc.sample(changed, drawn(count)).map(([body, changes]) => ({
    ...plainRequest(endpoint),
    name: 'drawn',
    body: JSON.stringify(changes.reduce(changedAt, body)),
  }));
}

function changedAt(body: unknown, [number, text]: readonly [number, string]): unknown {
  const places = placesIn(body);
  return JSON.parse(withText(body, places[number % places.length] ?? [], text));
}

function inPlace(body: unknown, place: Place): readonly Odd[] {
  const where = place.join('.');
  const value = at(body, place);
  const isText = typeof value === 'string';
  return [
    ...values.map((text) => ({ name: `${where} ${text.slice(0, 20)}`, body: withText(body, place, text) })),
    ...refusedValues.map((text) => ({
      name: `${where} refused ${text.slice(0, 20)}`,
      body: withText(body, place, text),
      isRefused: true as const,
    })),
    ...(isText ? naughtyTexts : []).map((text, index) => ({
      name: `${where} naughty text ${index}`,
      body: withText(body, place, JSON.stringify(text)),
    })),
    ...(place.length > 0 ? [{ name: `${where} left out`, body: without(body, place) }] : []),
    ...(isObject(value) ? oddMembers(body, place, Object.keys(value)) : []),
  ];
}

/** Fields that are unknown, misspelt or given twice. */
function oddMembers(body: unknown, place: Place, names: readonly string[]): readonly Odd[] {
  const misspelt = names.flatMap((name) => [name.toUpperCase(), `${name} `, `${name}s`, name.slice(0, -1)]);
  const odd = [...unknownNames, ...misspelt].filter((name) => !names.includes(name));
  return [
    ...odd.map((name, index) => ({
      name: `${place.join('.')} unknown field ${index}`,
      body: withMember(body, place, `${JSON.stringify(name)}:1`),
    })),
    ...names.map((name) => ({
      name: `${place.join('.')} ${name} twice`,
      body: withMember(body, place, `${JSON.stringify(name)}:${JSON.stringify(at(body, [...place, name]))}`),
      isRefused: true as const,
    })),
  ];
}

const limit = 256 * 1024;

/** What is odd about a body as a whole: its bytes, its size, its depth. */
function oddWholes(body: unknown): readonly Odd[] {
  const text = JSON.stringify(body);
  const refused = (name: string, bytes: string | Buffer): Odd => ({ name, body: bytes, isRefused: true });
  return [
    ...Array.from({ length: 12 }, (_, index) =>
      refused(`cut ${index}`, text.slice(0, Math.floor(((index + 0.5) * text.length) / 12.5))),
    ),
    refused('empty', ''),
    refused('spaces', ' '.repeat(100)),
    refused('twice', text + text),
    refused('junk after it', `${text}x`),
    refused('not UTF-8', Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xc3, 0x28, 0x7d])])),
    refused(
      'an overlong form',
      Buffer.concat([Buffer.from('{"'), Buffer.from([0xc0, 0xaf]), Buffer.from('":1}')]),
    ),
    refused(
      'a surrogate in UTF-8',
      Buffer.concat([Buffer.from('{"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('":1}')]),
    ),
    refused('UTF-16', Buffer.from(text, 'utf16le')),
    refused('NUL bytes', Buffer.alloc(1_000)),
    refused('gzip magic', Buffer.from([0x1f, 0x8b, 8, 0])),
    refused('deep', '['.repeat(200_000)),
    refused('deep and whole', '['.repeat(60_000) + ']'.repeat(60_000)),
    refused('deep objects', `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`),
    refused('one byte too large', text.padEnd(limit + 1)),
    refused('a megabyte', text.padEnd(1_000_000)),
    { name: 'as large as it may be', body: text.padEnd(limit - 2_000) },
    { name: 'a byte order mark', body: `\ufeff${text}` },
    { name: 'white space around', body: `\n\t\r ${text} \n` },
  ];
}
