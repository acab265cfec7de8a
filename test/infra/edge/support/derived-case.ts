import fc from 'fast-check';
import type { ConfigDocument } from '../../../../shared/edge-config/document.ts';
import type { CompiledRule } from '../../../../shared/rule/compiled-rule.ts';
import type { Condition } from '../../../../shared/rule/condition.ts';
import { evaluatedRequest } from '../../../../shared/rule/evaluated-request.ts';
import { cacheSettings, rulesWith } from './generated-config.ts';
import { words } from './words.ts';

/** A request as its bytes go over the wire, each written as the character of its number. */
export interface SentRequest {
  readonly scheme: 'http' | 'https';
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Rules that speak of what a request holds, and the request. */
export interface DerivedCase {
  readonly rules: readonly CompiledRule[];
  readonly cache: ConfigDocument['cache'];
  readonly request: SentRequest;
}

export const derivedHostname = 'www.derived.example';

const bytes = (text: string): string => Buffer.from(text).toString('latin1');
const broken = [
  '\xff',
  '\xc3',
  '\xe2\x82',
  '\xe0\x80\x80',
  '\xed\xa0\x80',
  '\xf0\x9f\x98',
  '\xc0\xaf',
  '\xf5\x80',
];

const pathPiece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...words('a b c A css .css / / /a/ a.b - ~ ab aab')) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...words('%61 %2F %2f %C3%BC %c3%bc %7E %2A %25 %ff // %5c ; + * %3f')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['ü', '€', '😀'].map(bytes),
      ...broken,
      ...words('. .. %5c.. %2F. /.%23 %2e # " < ^ { | \\ \''),
    ),
  },
);
const queryPiece = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(...words('a=1 b=2 a= a b ü=1 %61=1 a=%C3%BC a=a+b c=x').map(bytes)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['', ...words(`= =1 %zz a=% a=%ff a=%E2%82 é ' ? #x " ^`).map(bytes), ...broken],
    ),
  },
);
const target = fc
  .tuple(
    fc.array(pathPiece, { maxLength: 8 }),
    fc.option(fc.array(queryPiece, { maxLength: 5 }), { nil: undefined }),
  )
  .map(([path, query]) => `/${path.join('')}${query ? `?${query.join('&')}` : ''}`);

const value = fc
  .array(fc.constantFrom('1', 'a', 'aab', ' ', 'b', '*', '?', bytes('é'), bytes('😀'), ...broken), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const cookie = fc
  .array(
    fc.tuple(
      fc.constantFrom('a', 'b', ' a', 'a ', '', ...['\u00a0a', 'ü'].map(bytes)),
      fc.constantFrom('=', ' = ', ''),
      value,
    ),
    {
      maxLength: 4,
    },
  )
  .map((pairs) => pairs.map((pair) => pair.join('')).join(';'));
const header = fc.oneof(
  fc.tuple(fc.constantFrom('X-A', 'x-a', 'X_A', 'X.A', 'Accept-Language', 'Authorization', 'Range'), value),
  fc.tuple(fc.constantFrom('Cookie', 'cookie'), cookie),
  fc.tuple(
    fc.constantFrom(
      ...words('X-CDN-Site x_cdn_set_a X-Origin-Host x-cdn-set-x-a X-CDN-Pass X~CDN~Site x|cdn|ttl'),
    ),
    value,
  ),
);

const sentRequest: fc.Arbitrary<SentRequest> = fc.record({
  scheme: fc.constantFrom('http', 'https'),
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS'),
  target,
  headers: fc.array(header, { maxLength: 4 }).map(withoutRepeated),
});

/** nginx refuses a second line of these. */
function withoutRepeated(headers: SentRequest['headers']): SentRequest['headers'] {
  const isSingle = (name: string): boolean => name === 'Authorization' || name === 'Range';
  const isFirst = (name: string, index: number): boolean =>
    headers.findIndex(([other]) => other === name) === index;
  return headers.filter(([name], index) => !isSingle(name) || isFirst(name, index));
}

/** Texts of a request, each with the condition that it could meet. */
function textsOf({
  scheme,
  method,
  target: sent,
  headers,
}: SentRequest): readonly (readonly [object, string])[] {
  const decoded = (text: string): string => Buffer.from(text, 'latin1').toString();
  const request = evaluatedRequest({
    scheme,
    hostname: derivedHostname,
    method,
    target: decoded(sent),
    headers: headers.map(([name, text]) => [name, decoded(text.trim())]),
  });
  if (!request) return [[{ field: 'method' }, method]];
  const named = (field: string, pairs: Iterable<readonly [string, string]>) =>
    [...pairs].filter(([name]) => name !== '').map(([name, text]) => [{ field, name }, text] as const);
  return [
    [{ field: 'path' }, request.path],
    [{ field: 'path' }, request.path],
    [{ field: 'extension' }, request.path.replace(/^.*\./, '')],
    [{ field: 'method' }, method],
    [{ field: 'host' }, derivedHostname],
    [{ field: 'scheme' }, scheme],
    ...named('query', request.query),
    ...named('header', [...request.headers.values()].flat()),
    ...named('cookie', [...request.cookies.values()].flat()),
  ];
}

/** A text with a part of it left out or made a wildcard, so that it is near to what matches. */
function derived(text: string): fc.Arbitrary<string> {
  const characters = Array.from(text);
  const place = fc.nat(characters.length);
  const mark = fc.constantFrom('*', '?', '', '**', '*?', 'x', 'A', 'ü');
  const kind = fc.constantFrom('part', 'cut', 'overlap');
  return fc
    .tuple(place, place, mark, fc.constantFrom('', '*'), fc.constantFrom('', '*', '?'), kind)
    .map(([one, other, middle, start, end, wanted]) => {
      const [from, to] = one < other ? [one, other] : [other, one];
      const text = (first: number, last?: number): string => characters.slice(first, last).join('');
      if (wanted === 'part' && from < to) return text(from, to);
      // What is between the stars ends where the last part has begun.
      if (wanted === 'overlap' && from < to) return `*${text(from, to)}*${text(to - 1)}`;
      return `${start}${text(0, from)}${middle}${text(to)}${end}`;
    });
}

function conditionOn(texts: readonly (readonly [object, string])[]): fc.Arbitrary<Condition> {
  return fc.constantFrom(...texts).chain(([subject, text]) =>
    fc
      .record({
        operator: fc.constantFrom('equals', 'prefix', 'suffix', 'contains', 'wildcard', 'wildcard', 'exists'),
        values: fc.array(fc.oneof(derived(text), fc.constant(text)), { minLength: 1, maxLength: 2 }),
        negate: fc.constantFrom(false, false, true),
      })
      .map(({ operator, values, negate }) =>
        operator === 'exists' && 'name' in subject
          ? { ...subject, operator, negate }
          : { ...subject, operator: operator === 'exists' ? 'equals' : operator, values, negate },
      ),
  ) as fc.Arbitrary<Condition>;
}

export const derivedCase: fc.Arbitrary<DerivedCase> = sentRequest.chain((request) =>
  fc.record({
    rules: rulesWith(conditionOn(textsOf(request))),
    cache: cacheSettings,
    request: fc.constant(request),
  }),
);
