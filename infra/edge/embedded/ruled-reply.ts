import { ownReply, type Reply } from './reply.ts';
import type { Visit } from './visit.ts';

/** What the rules let the edge reply by itself; undefined where the content is served. */
export function ruledReply({ treatment, hostname, spelled }: Visit): Reply | undefined {
  const { block, redirect, forceHttps } = treatment;
  if (block) return ownReply(403, 'Forbidden');
  if (redirect) return ownReply(redirect.status, 'Moved', { location: redirect.location });
  // Every visitor of this edge comes by http; a 308 keeps the method.
  if (forceHttps)
    return ownReply(308, 'Moved', { location: `https://${hostname}${spelled.pathname}${spelled.search}` });
  return undefined;
}
