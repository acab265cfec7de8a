import fc from 'fast-check';
import { methodOverrides, ofOneVisitor, unkeyed } from '../../../infra/edge/support/contract-headers.ts';
import { words } from '../../../infra/edge/support/words.ts';
import { type Framing, framing } from './framing.ts';
import { mark } from './reflecting-origin.ts';

/** Whose content must stay what it was. */
export interface Victim {
  readonly host: string;
  readonly path: string;
}

export interface EdgeAttack {
  /** In Latin-1. */
  bytesFor(victim: Victim): string;
  /** As the request line has it. */
  targetFor(victim: Victim): string;
}

const methods = words('HEAD POST PUT OPTIONS TRACE CONNECT PURGE get GET/ BAN');

const targets = [
  ...words(String.raw`{path}? {path}?b=2&a=1 {path}?a=1&b=2 {path}/ {path}// //{path} //evil.example{path} /.{path} /%2e{path} /..{path}
    /a/..{path} {path}/../evil {path}/%2e%2e/evil {path};evil {path}#evil {path}?#evil {path}%00 {path}%3Fevil {path}%3fevil {path}%23
    {path}%0d%0aX-Evil:%20evil {path}\evil \{path} {path}%zz {path}% {path}?% {path}"evil {path}<evil> {path}|evil {path}?a[]=1&&a=2
    http://{host}{path} HTTP://{host}:80{path} https://{host}{path} http://evil.example{path} http://evil@{host}{path} http:/{path}
    http://{host} http:// ftp://{host}{path} * evil {host}{path} ?{path}`),
  '{path} evil',
  '{path}\tevil',
  '{path}\x01evil',
  '{path}\xe9',
  '{path}\x00',
  '',
];

const hosts = [
  ...words(`{host}:80 {host}:8080 {host}. {host}.:80 {host}: {host}:evil {host}:80:90 evil.example evil@{host} {host}@evil.example
    127.0.0.1 [::1] [::1]:80 localhost {host}/evil {host}#evil {host}?evil {host}%2eevil .{host} {host}.. *.example evil_{host}
    http://{host} {host}\\evil {host},evil.example`),
  '{host} evil.example',
  '{host}\tevil',
  '{host}\x00evil',
  'evil\xe9.{host}',
  `${'evil.'.repeat(70)}{host}`,
  '',
].map((host) => `Host: ${host}`);

const hostLines = [
  ...hosts,
  '',
  'host:{host}',
  'HOST: {host}',
  'Host:   {host}  ',
  'Host : {host}',
  'Host: {host}\r\nHost: evil.example',
  'Host: evil.example\r\nHost: {host}',
  'Host: {host}\r\nHost: {host}',
  'Host: {host}\r\n evil.example',
  ' Host: evil.example\r\nHost: {host}',
  'Host\x00: evil.example\r\nHost: {host}',
];

const separator = fc.constantFrom('-', '-', '_', '_', '.', '~', '!', '+', '|', "'", '`', '#', '^');
const spelling = fc.constantFrom(
  (name: string) => name,
  (name: string) => name.toLowerCase(),
  (name: string) => name.toUpperCase(),
);
const word = fc.constantFrom('Host', 'URL', 'Evil', 'Proto', 'X', '2', 'Path', 'For-Host', '-');
const made = fc
  .tuple(fc.constantFrom('X-Forwarded-', 'X-Original-', 'X-Rewrite-', 'X-Override-', 'Evil-Forwarded-'), word)
  .map((parts) => parts.join(''));
const name = fc
  .tuple(fc.oneof(fc.constantFrom(...unkeyed, ...methodOverrides), made), separator, spelling)
  .map(([text, hyphen, spell]) => spell(text.replaceAll('-', hyphen)));
const value = fc.constantFrom(
  ...words(
    `${mark} ${mark}.example {host},${mark} /${mark} ${mark}:80 https,${mark} DELETE;${mark} "${mark}`,
  ),
  `for=${mark};host=${mark}.example;proto=https`,
  `${mark}\xff`,
  `${mark} `.repeat(40),
);
const told = fc.tuple(name, value).map(([text, said]) => `${text}: ${said}`);

const otherHeaders = [
  ...ofOneVisitor.map((text) => `${text}: ${mark}`),
  ...words(`Range:bytes=0-3 Range:bytes=-1 Range:bytes=5-1 Range:bytes=0-0,2-3 range:bytes=99999- If-None-Match:*
    If-Match:"${mark}" Cookie:session=${mark} cookie:${mark} Authorization:Basic${mark} Connection:x-variant
    Connection:cookie Connection:x-forwarded-host,host Connection:close Expect:100-continue Expect:${mark} TE:trailers
    Trailer:X-Forwarded-Host Upgrade:websocket Upgrade:h2c Max-Forwards:0 X-Variant:other X-Variant: x-variant:b
    X-Variant:b,other Accept-Language:other accept-language: Accept-Encoding:gzip,${mark} Accept-Encoding:identity`),
  'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT',
  'X-Variant: b\r\nX-Variant: other',
  'Accept-Language: other\r\nAccept-Language: b',
  'X-Variant : other',
  'X-Variant:\r\n other',
  `X-Long: ${'x'.repeat(9_000)}`,
  ...[20, 50, 56, 60, 90, 180, 600].map((lines) => `${'M:\r\n'.repeat(lines)}M: 2`),
  'no colon at all',
  ': no name',
  'X-Control: a\x00b',
];

const second = fc.constantFrom(
  'GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n',
  `GET {path} HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-Host: ${mark}.example\r\nX-Original-URL: /${mark}\r\n\r\n`,
  `GET {path} HTTP/1.1\r\nHost: ${mark}.example\r\n\r\n`,
  'GET http://{host}{path} HTTP/1.1\r\nHost: evil.example\r\n\r\n',
  `POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 999\r\n\r\n${mark}`,
  'PURGE / HTTP/1.1\r\nHost: {host}\r\n\r\n',
  'GET {path}',
  '\r\n\r\n\x00\xff',
);

const noBody: Framing = { headers: [], form: '', content: '' };

/** Mostly the usual, so that what is odd gets far. */
function mostly<Part>(usual: Part, odd: fc.Arbitrary<Part>, weight = 5): fc.Arbitrary<Part> {
  return fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd });
}

export const edgeAttack: fc.Arbitrary<EdgeAttack> = fc
  .record({
    method: mostly('GET', fc.constantFrom(...methods)),
    target: mostly('{path}', fc.constantFrom(...targets), 2),
    version: mostly(
      'HTTP/1.1',
      fc.constantFrom(...words('HTTP/1.0 HTTP/1.2 HTTP/2.0 HTTP/0.9 http/1.1')),
      30,
    ),
    host: mostly('Host: {host}', fc.constantFrom(...hostLines)),
    headers: fc.array(fc.oneof(told, told, fc.constantFrom(...otherHeaders)), { maxLength: 4 }),
    framing: mostly<Framing>(noBody, framing, 2),
    end: mostly('\r\n', fc.constantFrom('\n', '\r', '\r\r\n', '\n\r', '\r\n\t'), 30),
    before: mostly('', fc.constantFrom('\r\n', '\n', '\x00', ' ', '\xef\xbb\xbf'), 40),
    second: mostly('', second, 3),
  })
  .map((parts) => ({
    targetFor: (victim) => filled(parts.target, victim),
    bytesFor: (victim) => {
      const content = filled(parts.framing.content, victim);
      const body = parts.framing.form
        .replace('{size}', content.length.toString(16))
        .replace('{content}', content);
      const line = `${parts.method} ${parts.target} ${parts.version}`;
      const lines = [line, parts.host, ...parts.headers, ...parts.framing.headers].filter(
        (each) => each !== '',
      );
      const head = `${parts.before}${lines.join(parts.end)}${parts.end}${parts.end}`;
      return (
        filled(head, victim).replaceAll('{length}', String(body.length)) + body + filled(parts.second, victim)
      );
    },
  }));

function filled(text: string, { host, path }: Victim): string {
  return text.replaceAll('{host}', host).replaceAll('{path}', path);
}
