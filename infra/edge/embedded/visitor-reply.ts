import type { IncomingHttpHeaders } from 'node:http';
import type { Outcome } from '../../../shared/rule/outcome.ts';
import { browserCacheControl, tagHeader } from './cacheability.ts';
import { changeHeaders, endToEnd, type Headers } from './headers.ts';
import type { Reply } from './reply.ts';

/** What visitors get of an origin's headers: tags are for edges only. */
export function visitorHeaders(headers: IncomingHttpHeaders): Headers {
  const { [tagHeader]: _, ...others } = endToEnd(headers);
  return others;
}

/** An origin's response, stored or not, with the browser's time to live where the edge decides on it. */
export function withBrowserTtl(reply: Reply, treatment: Outcome): Reply {
  const cacheControl = browserCacheControl(reply.statusCode, reply.headers, treatment);
  if (cacheControl === undefined) return reply;
  // An age would shorten the time that was set.
  const { age: _, expires: __, pragma: ___, ...headers } = reply.headers;
  return { ...reply, headers: { ...headers, 'cache-control': cacheControl } };
}

/** On the edge's own responses too. */
export function withRuledHeaders(reply: Reply, { responseHeaders }: Outcome): Reply {
  return { ...reply, headers: changeHeaders(reply.headers, responseHeaders) };
}
