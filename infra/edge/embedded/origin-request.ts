import type { IncomingMessage } from 'node:http';

export type Headers = Record<string, string | string[]>;

// An expectation is among them, because Node's server has responded to it already.
const hopByHop =
  /^(?:connection|expect|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

// As in the Varnish kit's `origin-request.vcl`, which says why.
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
  /^(?:accept-encoding|cache-control|content..*|if-.*|pragma|proxy-authorization|range|transfer.encoding)$/;

/** What the origin gets of a request's headers: the edge sets or removes all that it might listen to unkeyed. */
export function originHeaders({ method = '', headers, socket }: IncomingMessage, hostname: string): Headers {
  const isRead = method === 'GET' || method === 'HEAD';
  return {
    ...without(endToEnd(headers), isRead ? [...unkeyed, methodOverride] : unkeyed),
    host: hostname,
    'x-forwarded-for': socket.remoteAddress ?? '',
    'x-forwarded-host': hostname,
    'x-forwarded-proto': 'http',
  };
}

/** The same where the response may be stored for all visitors. */
export function sharedHeaders(request: IncomingMessage, hostname: string): Headers {
  return without(originHeaders(request, hostname), [ofOneVisitor]);
}

/** Without what holds for one connection only. */
export function endToEnd(headers: NodeJS.Dict<string | string[]>): Headers {
  const nominated = String(headers.connection ?? '')
    .toLowerCase()
    .split(/[\s,]+/);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || hopByHop.test(name) || nominated.includes(name) ? [] : [[name, value]],
    ),
  );
}

function without(headers: Headers, patterns: readonly RegExp[]): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !patterns.some((pattern) => pattern.test(name))),
  );
}
