import { isIP } from 'node:net';

const host = String.raw`(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])`;
const size = /^[1-9]\d*[kKmMgG]$/;

/** By option, what its value must be, and how that is said. These values go into configuration files. */
export const values = {
  listen: [isListenAddress, 'must be HOST:PORT'],
  api: [matching(/^https?:\/\/[^/?#@\s]+(?:\/[^?#\s]*)?$/), 'must be http://HOST or https://HOST'],
  'token-file': [() => true],
  backend: [matching(RegExp(`^http://${host}(?::\\d{1,5})?/?$`)), 'must be http://HOST:PORT'],
  shield: [isShieldAddress, 'must be http://HOST:PORT, or https:// with a name'],
  'edge-from': [isRange, 'must be an address or ADDRESS/BITS'],
  'secret-file': [() => true],
  tier: [matching(/^(?:edge|shield)$/), 'must be edge or shield'],
  dir: [matching(/^[^"\p{Cc}]+$/u), 'must be a path without quotes'],
  storage: [matching(size), 'must be a size like 64m'],
  'config-memory': [matching(size), 'must be a size like 256m'],
  'tag-header': [matching(/^[A-Za-z][A-Za-z0-9-]{0,63}$/), 'must be a header name'],
  'purge-from': [isRange, 'must be an address or ADDRESS/BITS'],
  resolver: [(text) => socketAddress(text, 53) !== undefined, 'must be ADDRESS or ADDRESS:PORT'],
  'ca-file': [() => true],
  'tls-listen': [isListenAddress, 'must be HOST:PORT'],
  certificates: [() => true],
  'acme-dir': [
    matching(/^\/[^"$\\\p{Cc}]*$/u),
    'must be an absolute path without quotes, dollars, backslashes',
  ],
  'access-log': [matching(/^(?:on|off)$/), 'must be on or off'],
};
export const flags = ['allow-private-origins'];
export const repeatable = ['purge-from', 'edge-from'];

/** @returns the addresses as `ADDRESS/BITS`; undefined where the text names none */
export function addressRange(text) {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return undefined;
  const all = family === 4 ? 32 : 128;
  const length = Number(bits ?? all);
  return length <= all ? `${address}/${length}` : undefined;
}

function isRange(text) {
  return addressRange(text) !== undefined;
}

/** A certificate is verified by a name. */
function isShieldAddress(text) {
  const [, scheme, name] = RegExp(`^(https?)://(${host})(?::\\d{1,5})?/?$`).exec(text) ?? [];
  return scheme === 'http' || (scheme === 'https' && isIP(name) === 0 && !name.startsWith('['));
}

function matching(pattern) {
  return (text) => pattern.test(text);
}

function isListenAddress(text) {
  const port = Number(/:(\d{1,5})$/.exec(text)?.[1]);
  return RegExp(`^${host}:\\d{1,5}$`).test(text) && port >= 1 && port <= 65_535;
}

/** @returns a literal address with a port, as `127.0.0.1:53` or `[::1]:53`; undefined where it is none */
export function socketAddress(text, defaultPort) {
  if (isIP(text) === 6) return `[${text}]:${defaultPort}`;
  const [, address = '', port = defaultPort] = /^(.+?|\[.+\])(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isAddress = isIP(address) === 4 || isIP(address.replace(/^\[|\]$/g, '')) === 6;
  return isAddress && port >= 1 && port <= 65_535 ? `${address}:${port}` : undefined;
}
