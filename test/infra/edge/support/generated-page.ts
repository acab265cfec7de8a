import fc from 'fast-check';
import type { Page } from './purge-model.ts';
import { words } from './words.ts';

interface Spelling {
  readonly host: string;
  readonly target: string;
}

export interface GeneratedPage extends Page {
  /** Ways in which a client may write the page's host and target. */
  readonly spellings: readonly Spelling[];
  /** Values of the request header that the page varies on; empty where it does not vary. */
  readonly variants: readonly string[];
  /** Every edge must store it; an edge may pass the others. */
  readonly isPlain: boolean;
}

export type Siblings = readonly [GeneratedPage, ...GeneratedPage[]];

interface Piece {
  readonly text: string;
  readonly isPlain: boolean;
}

/** One in ten pieces holds what browsers write in another way, or not at all. */
function pieces(plain: readonly string[], odd: readonly string[]): fc.Arbitrary<Piece> {
  const of = (texts: readonly string[], isPlain: boolean) =>
    fc.constantFrom(...texts.map((text) => ({ text, isPlain })));
  return fc.oneof({ weight: 9, arbitrary: of(plain, true) }, { weight: 1, arbitrary: of(odd, false) });
}

const segment = pieces(
  [
    '',
    ...words(`a b shop a.b .* [ab] (a|b) $ a+b ** ~a ;v=1 it's && obj.ttl ... .a @ , : !=
      %C3%A9 %20 %22 %2F %25 %7C`),
  ],
  words(String.raw`.. . %2E .%2e " <a> {a} ^a \ a\b % %zz %c #a`),
);

const parameter = pieces(
  ['', ...words('a a=1 a=2 a=10 a! a[]=2 a[]=1 b=%C3%A9 b=%20 = ? u=/a/../b {a} ^ |')],
  words(`q="a" q='a' < % %z`),
);

export const tags = words(String.raw`a b a.b .* a|b "a" ' tag-1 t/a h/a \x`);

function text(parts: readonly Piece[], separator: string): string {
  return parts.map((part) => part.text).join(separator);
}

function spellingsOf(hostname: string, path: string, query: readonly Piece[] | null): readonly Spelling[] {
  const lowerCasePath = path.replace(/%[0-9A-F]{2}/g, (encoded) => encoded.toLowerCase());
  const withQuery = (start: string, parts: readonly Piece[] | null) =>
    parts ? `${start}?${text(parts, '&')}` : start;
  return [
    { host: hostname, target: withQuery(path, query) },
    { host: `${hostname.toUpperCase()}:8080`, target: withQuery(lowerCasePath, query?.toReversed() ?? null) },
  ];
}

export function generatedPage(hostnames: readonly string[]): fc.Arbitrary<GeneratedPage> {
  return generatedSiblings(hostnames, 1).map(([page]) => page);
}

/** Pages that differ by their query alone. */
export function generatedSiblings(hostnames: readonly string[], count: number): fc.Arbitrary<Siblings> {
  const query = fc.option(fc.array(parameter, { maxLength: 4 }), { freq: 2 });
  return fc
    .record({
      hostname: fc.constantFrom(...hostnames),
      segments: fc.array(segment, { minLength: 1, maxLength: 4 }),
      query,
      others: fc.array(query, { minLength: count - 1, maxLength: count - 1 }),
      tags: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 3 }),
      variants: fc.constantFrom<readonly string[]>([], ['a', 'b']),
    })
    .map(({ query: first, others, ...shape }) => [
      pageOf({ ...shape, query: first }),
      ...others.map((other) => pageOf({ ...shape, query: other })),
    ]);
}

interface Shape extends Pick<GeneratedPage, 'hostname' | 'tags' | 'variants'> {
  readonly segments: readonly Piece[];
  readonly query: readonly Piece[] | null;
}

function pageOf({ hostname, segments, query, ...rest }: Shape): GeneratedPage {
  const spellings = spellingsOf(hostname, `/${text(segments, '/')}`, query);
  const isPlain = [...segments, ...(query ?? [])].every((piece) => piece.isPlain);
  return { hostname, target: spellings[0]?.target ?? '', spellings, isPlain, ...rest };
}
