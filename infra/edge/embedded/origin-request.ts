import { changeHeaders, endToEnd, type Headers } from './headers.ts';
import { withMember } from './loop.ts';
import type { Visit } from './visit.ts';

// As in the edge node's `origin-request.vcl`, which says why.
const unkeyed: readonly RegExp[] = [
  /^(?:.*.)?forwarded(?:..*)?$/,
  /^(?:.*.)?(?:client|real|remote|connecting|originating).(?:ip|addr)$/,
  /^(?:x.(?:url.)?scheme|front.end.https|proxy|surrogate.capability)$/,
  /^x.(?:(?:http.)?host(?:.override)?|(?:original|rewrite|override)(?:..*)?)$/,
  /^x(?:key|.(?:hashtwo|guard|cache|purge..*))$/,
];
const methodOverride = /^x.(?:http.)?method(?:.override)?$/;

// A body, a part of the content, a condition, an encoding.
const ofOneVisitor =
  /^(?:accept.encoding|cache.control|content..*|if..*|pragma|proxy.authorization|range|transfer.encoding)$/;

/** What the origin gets of a request's headers: the edge sets or removes all that it might listen to unkeyed. */
export function originHeaders(visit: Visit): Headers {
  return changeHeaders(ownHeaders(visit), visit.treatment.requestHeaders);
}

/** The same where the response may be stored for all visitors. */
export function sharedHeaders(visit: Visit): Headers {
  return changeHeaders(without(ownHeaders(visit), [ofOneVisitor]), visit.treatment.requestHeaders);
}

/** The visitor's spelling, but for a path that a rule has rewritten. */
export function originPath({ treatment, spelled }: Visit): string {
  return (treatment.path ?? spelled.pathname) + spelled.search;
}

function ownHeaders({ request, hostname, document }: Visit): Headers {
  const { method = '', headers, socket } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  return {
    ...without(endToEnd(headers), isRead ? [...unkeyed, methodOverride] : unkeyed),
    'cdn-loop': withMember(headers, document.propertyId),
    host: document.origin.hostHeader ?? hostname,
    'x-forwarded-for': socket.remoteAddress ?? '',
    'x-forwarded-host': hostname,
    'x-forwarded-proto': 'http',
  };
}

function without(headers: Headers, patterns: readonly RegExp[]): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !patterns.some((pattern) => pattern.test(name))),
  );
}
