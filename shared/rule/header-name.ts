import * as z from 'zod';

/** Source: RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const HeaderName = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(200, 'must be at most 200 characters long')
  .regex(token, 'must be a header name: letters, digits and hyphens');

/** Headers that frame a message or belong to one connection, and those that the edge itself writes and reads. */
const reserved = [
  ...['Host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Keep-Alive', 'TE', 'Trailer', 'Upgrade'],
  ...['Proxy-Connection', 'Proxy-Authenticate', 'Proxy-Authorization', 'Age', 'X-Cache', 'X-Varnish'],
  ...['xkey', 'X-HashTwo', 'X-Purge-Time', 'X-Purge-Mode', 'X-Purge-Keys', 'X-Purge-Signature'],
];
const internal = /^x-(?:cdn|origin)-/i;

/** Edges speak with themselves by these, so that no rule may. */
export function isInternalHeader(name: string): boolean {
  return internal.test(name);
}

const reservedOnRequests = [...reserved, 'Set-Cookie'];

export const RequestHeaderName = nameOutside(reservedOnRequests);
export const ResponseHeaderName = nameOutside(reserved);

function nameOutside(refused: readonly string[]) {
  const lowerCase = new Set(refused.map((name) => name.toLowerCase()));
  return HeaderName.refine(
    (name) => !lowerCase.has(name.toLowerCase()) && !isInternalHeader(name),
    'must not name a header that only the edge and the connection decide on',
  ).describe(
    `Name of the header, in any case. Not one of ${refused.join(', ')}, and none that begins with X-CDN- or X-Origin-.`,
  );
}
