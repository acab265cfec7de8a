import type { Endpoint } from '../../../../shared/http/endpoint.ts';
import { type Attack, plainRequest } from './attack.ts';

const ids = [
  ...['x', '0', '-1', '%00', '%0a', '%0d%0aX-Injected:%201', '%ff', '%c0%af', '%E2%82', '%', '%zz', '%25'],
  ...['%2e%2e', '%2e%2e%2f', '..%5c', '.', '..'],
  ...['__proto__', 'constructor', '%23total', '*', '%2a', "'%20OR%201=1--", '<script>', '{apiKey}'],
  ...['a'.repeat(1_100), '%C3%A9'.repeat(400), 'a'.repeat(4_000)],
  ...['00000000000000000000000000', '7zzzzzzzzzzzzzzzzzzzzzzzzz', '01KAF42M7X3C9BN5E0T8RGW6HA'],
  ...['01kaf42m7x3c9bn5e0t8rgw6h', ';', '%3b', '~', '@', ':', '+', '%20', '$%7b7*7%7d'],
];

/** Spellings of a path that some server takes for it, and others for something else. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => path.toUpperCase().replace(/\{(\w+)\}/g, (whole) => pathParameter(path, whole)),
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `/${path}`,
  (path) => `//${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => `/.${path}`,
  (path) => `/x/..${path}`,
  (path) => `${path}/.`,
  (path) => `${path}/..`,
  (path) => `${path}/../../../../etc/passwd`,
  (path) => path.replaceAll('/', '/./'),
  (path) => path.replaceAll('/', '%2f').replace('%2f', '/'),
  (path) => path.replaceAll('/', '\\').replace('\\', '/'),
  (path) => path.replace('a', '%61'),
  (path) => path.replace('p', '%70'),
  (path) => path.replace('api', '%2561pi'),
  (path) => `${path}%00`,
  (path) => `${path}%20`,
  (path) => `${path}.json`,
  (path) => `${path};x=1`,
  (path) => `${path}/x`,
  (path) => path.slice(0, -1),
  (path) => path.replace('api', 'ap%C4%B1'),
  (path) => `http://evil.example${path}`,
  (path) => `HTTPS://evil.example:443${path}`,
  (path) => `http://${path}`,
];

/** What no client sends as the target of a request. */
const brokenTargets: readonly ((path: string) => string)[] = [
  (path) => path.slice(1),
  (path) => `${path}#x`,
  (path) => `${path} x`,
  (path) => `${path}\xe9`,
  (path) => `${path}\xff\xfe`,
  (path) => `${path}\t`,
  (path) => `${path}\0`,
  (path) => `${path}\x7f`,
  (path) => `${path}/${'a'.repeat(9_000)}`,
  (path) => `${path}/${'a'.repeat(20_000)}`,
  (path) => `${path}/${'/'.repeat(5_000)}`,
  (path) => `${path}/${'%2e%2e/'.repeat(1_000)}`,
  () => '*',
  () => 'evil.example:443',
  () => '?',
  (path) => `ftp://evil.example${path}`,
  (path) => `${path}|<>"^\`{}`,
];

const methods = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  ...['TRACE', 'PURGE', 'PROPFIND', 'MKCOL', 'LOCK', 'SEARCH', 'LINK', 'REPORT'],
];
const brokenMethods = [
  'CONNECT',
  'BAN',
  'get',
  'Post',
  'X',
  'DEBUG',
  '',
  'GET\tx',
  'G\xc9T',
  'PRI',
  'A'.repeat(5_000),
];

/** Heads of requests that break the rules of HTTP, after the first line. */
const brokenHeads: readonly (readonly (readonly [string, string])[])[] = [
  [['Content-Length', '-1']],
  [['Content-Length', '5x']],
  [
    ['Content-Length', '0'],
    ['Content-Length', '5'],
  ],
  [
    ['Content-Length', '0'],
    ['Transfer-Encoding', 'chunked'],
  ],
  [['Transfer-Encoding', 'identity, chunked, identity']],
  [
    ['Host', 'a'],
    ['Host', 'b'],
  ],
  [['Host', '']],
  [['Bad Name', 'x']],
  [['X-Bad', 'a\0b']],
  [['X-Bad', 'a\rX-Injected: 1']],
  [['X-Bad\r\nX-Injected', '1']],
  [['', 'x']],
  [['X-Folded', 'a\r\n b']],
  [['X-Long', 'x'.repeat(20_000)]],
  [['x'.repeat(20_000), 'x']],
];

/** The endpoint's path in every odd spelling, with odd ids, by every method. */
export function oddPaths(endpoint: Endpoint): readonly Attack[] {
  const plain = plainRequest(endpoint);
  const [path = '', query] = plain.target.split('?');
  const attack = (name: string, more: Partial<Attack>): Attack => ({ ...plain, name, ...more });
  const targeted = (spelt: string) => (query ? `${spelt}?${query}` : spelt);
  const parameters = path.match(/\{\w+\}/g) ?? [];
  return [
    ...spellings.map((spell, index) => attack(`spelling ${index}`, { target: targeted(spell(path)) })),
    ...parameters.flatMap((parameter) =>
      ids.map((id) => attack(`id ${id.slice(0, 30)}`, { target: plain.target.replace(parameter, id) })),
    ),
    ...methods.map((method) => attack(`method ${method}`, { method })),
    ...brokenTargets.map((spell, index) =>
      attack(`broken target ${index}`, { target: spell(path), isBroken: true }),
    ),
    ...brokenMethods.map((method) =>
      attack(`broken method ${method.slice(0, 10)}`, { method, isBroken: true }),
    ),
    ...brokenHeads.map((headers, index) =>
      attack(`broken head ${index}`, {
        headers: [...plain.headers, ...headers],
        isBroken: true,
        body: undefined,
      }),
    ),
  ];
}

/** In a path of capitals the names of parameters stay as they are. */
function pathParameter(path: string, capitals: string): string {
  return path.match(/\{\w+\}/g)?.find((name) => name.toUpperCase() === capitals) ?? capitals;
}
