import * as z from 'zod';

/** Source: RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const HeaderName = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(200, 'must be at most 200 characters long')
  .regex(token, 'must be a header name: letters, digits and hyphens');

/** Headers that frame a message or belong to one connection, and those that the edge itself writes and reads. */
export const reservedHeaders = [
  ...['Host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Keep-Alive', 'TE', 'Trailer', 'Upgrade'],
  ...['Expect', 'HTTP2-Settings'],
  ...['Proxy-Connection', 'Proxy-Authenticate', 'Proxy-Authorization', 'Age', 'X-Cache', 'X-Varnish'],
  ...['CDN-Loop', 'xkey', 'X-HashTwo', 'X-Purge-Time', 'X-Purge-Mode', 'X-Purge-Keys', 'X-Purge-Signature'],
];
const internal = /^x-(?:cdn|origin)-/;

export const RequestHeaderName = nameOutside([...reservedHeaders, 'Set-Cookie']);
export const ResponseHeaderName = nameOutside(reservedHeaders);

/** Whether a rule may neither set nor remove it, on requests and on responses. */
export function isReservedHeader(name: string): boolean {
  return isAmong(reservedHeaders, name);
}

function nameOutside(refused: readonly string[]) {
  return HeaderName.refine(
    (name) => !isAmong(refused, name),
    'must not name a header that only the edge and the connection decide on',
  ).describe(
    `Name of the header, in any case. Not one of ${refused.join(', ')}, and none that begins with X-CDN- or X-Origin-, nor with _ for -.`,
  );
}

/** Some servers read an underscore as a hyphen. Edges speak with themselves by the internal ones. */
function isAmong(refused: readonly string[], name: string): boolean {
  const read = name.toLowerCase().replaceAll('_', '-');
  return internal.test(read) || refused.some((other) => other.toLowerCase() === read);
}
