import fc from 'fast-check';
import { words } from '../../../infra/edge/support/words.ts';
import { mark } from './reflecting-origin.ts';

/** How a request says where its body ends, and the body; `{length}` stands for the body's, `{size}` for its content's. */
export interface Framing {
  readonly headers: readonly string[];
  /** With `{content}` where that goes. */
  readonly form: string;
  readonly content: string;
}

/** What an edge and an origin that disagree about an end take for a request of its own. */
const smuggled = fc.constantFrom(
  `GET {path} HTTP/1.1\r\nHost: ${mark}.example\r\nX-Smuggled: yes\r\n\r\n`,
  `GET /${mark} HTTP/1.1\r\nHost: {host}\r\nX-Swallow: `,
  `PURGE / HTTP/1.1\r\nHost: {host}\r\n\r\n`,
  `HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n${mark}`,
  `q=${mark}`,
  '',
);

const chunked = [
  ...words(
    'chunked CHUNKED xchunked chunked,identity identity,chunked gzip,chunked chunked;q=1 "chunked" identity',
  ),
  'chunked, chunked',
  '\tchunked',
  ' chunked ',
  '\x0bchunked',
  'chunked\x00',
  '',
].map((value) => `Transfer-Encoding:${value}`);
const transferEncodings = [
  ...chunked,
  'Transfer-Encoding : chunked',
  'Transfer-Encoding\t:chunked',
  'Transfer_Encoding: chunked',
  ' Transfer-Encoding: chunked',
  'X-Fold: a\r\n Transfer-Encoding: chunked',
  'X-Bare: a\nTransfer-Encoding: chunked',
  'X-Return: a\rTransfer-Encoding: chunked',
  'Transfer-Encoding:\r\n chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: x\r\nTransfer-Encoding: chunked',
];
const lengths = [
  ...words('{length} 0 1 4 999 -1 +6 0x6 6,6 6;6 1e1 99999999999999999999 {length},{length} {length}.0 ٤'),
  '',
  '{length}\r\nContent-Length: 0',
  '0\r\nContent-Length: {length}',
  '{length}\r\nContent-Length: {length}',
].map((value) => `Content-Length: ${value}`);
const lengthLines = [
  ...lengths,
  'Content-Length : {length}',
  'Content_Length: 0',
  'Content-Length:\r\n {length}',
];

const chunkEnds = ['\r\n', '\r\n', '\r\n', '\n', '\r', '\r\r\n'];
const sizes = [
  '{size}',
  '{size};a=b',
  '{size} ',
  ' {size}',
  '0x{size}',
  '+{size}',
  '-{size}',
  '0{size}',
  '{size}\t;',
  'FFFFFFFFFFFFFFFF{size}',
  '',
];
const lastChunks = [
  ...['0\r\n\r\n', '0\r\n', '00\r\n\r\n', '0\n\n', '0;a\r\n\r\n', '', '0\r\nX: y\r\n\r\n', '-0\r\n\r\n'],
  `0\r\nX-Forwarded-Host: ${mark}.example\r\nHost: ${mark}.example\r\nContent-Length: 5\r\n\r\n`,
];
const chunks = fc
  .tuple(fc.option(fc.constantFrom(...sizes)), fc.constantFrom(...chunkEnds), fc.constantFrom(...lastChunks))
  .map(([size, end, last]) => (size === null ? `${last}{content}` : `${size}${end}{content}${end}${last}`));

/** Right ones, wrong ones and those that say two things at once. */
export const framing: fc.Arbitrary<Framing> = fc
  .record({
    encoding: fc.option(
      fc.oneof(fc.constant('Transfer-Encoding: chunked'), fc.constantFrom(...transferEncodings)),
    ),
    length: fc.option(fc.oneof(fc.constant('Content-Length: {length}'), fc.constantFrom(...lengthLines))),
    isEncodingFirst: fc.boolean(),
    form: fc.oneof(fc.constant('{content}'), chunks),
    content: smuggled,
  })
  .map(({ encoding, length, isEncodingFirst, ...body }) => {
    const headers = [encoding, length].flatMap((line) => line ?? []);
    return { headers: isEncodingFirst ? headers : headers.toReversed(), ...body };
  });
