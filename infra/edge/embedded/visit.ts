import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { ConfigDocument } from '../../../shared/edge-config/document.ts';
import { canonicalTarget } from '../../../shared/property/canonical-url.ts';
import { canonicalHostname } from '../../../shared/property/hostname.ts';
import { evaluate } from '../../../shared/rule/evaluate.ts';
import { evaluatedRequest } from '../../../shared/rule/evaluated-request.ts';
import type { Outcome } from '../../../shared/rule/outcome.ts';
import { isLoop } from './loop.ts';
import { ownReply, type Reply } from './reply.ts';

/** One request to a site, all by one version of its configuration. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly hostname: string;
  readonly document: ConfigDocument;
  /** What the rules make of it. */
  readonly treatment: Outcome;
  /** Path and query in the visitor's spelling, as a browser would send it. */
  readonly spelled: URL;
  /** Path and query in the form of the cache's key. */
  readonly canonical: string;
}

/** Who is asked, where a request names only an address. */
export interface Directory {
  readonly sites: { find(hostname: string): ConfigDocument | undefined };
  readonly defaultHostname: string;
}

/** @returns a reply of the edge's own where nothing is served */
export function visitOf(request: IncomingMessage, directory: Directory): Visit | Reply {
  const { url = '', method = '' } = request;
  if (!url.startsWith('/')) return unreadable();
  const hostname = hostnameOf(request, directory);
  const document = directory.sites.find(hostname);
  if (!document) return ownReply(404, 'No site of this name is served here.');
  if (document.status === 'paused') return ownReply(503, 'The site is paused.', { 'retry-after': '60' });
  if (isLoop(request.headers, document.propertyId))
    return ownReply(508, 'The origin leads back to this site.');
  const headers = linesOf(request);
  const evaluated = evaluatedRequest({ scheme: 'http', hostname, method, target: url, headers });
  if (!evaluated) return unreadable();
  const { treatment } = evaluate(document, evaluated);
  const spelled = new URL(`http://host${url}`);
  return { request, hostname, document, treatment, spelled, canonical: canonicalTarget(url) };
}

export function hostnameOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { defaultHostname }: Pick<Directory, 'defaultHostname'>,
): string {
  const host = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  const isAddress = host === 'localhost' || isIP(host.replace(/^\[|\]$/g, '')) !== 0;
  return canonicalHostname(host) ?? (isAddress ? defaultHostname : host);
}

function unreadable(): Reply {
  return ownReply(400, 'The request target cannot be read.');
}

function linesOf({ rawHeaders }: IncomingMessage): readonly (readonly [name: string, value: string])[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, Buffer.from(rawHeaders[index + 1] ?? '', 'latin1').toString()] as const] : [],
  );
}
