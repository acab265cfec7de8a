import { shortened } from '../http/quoted.ts';
import { type CanonicalUrl, formatUrl } from '../property/canonical-url.ts';

/** Other networks read a `*` at the end as "all that begins so"; anywhere else it is a character like any other. */
export function endsInWildcard(text: string): boolean {
  return /\* *(?:#.*)?$/.test(text);
}

/** Names the type of purge that does what a `*` at the end was meant to do. */
export function wildcardFault(url: CanonicalUrl): string {
  return `must not end in *, which is no wildcard here: use ${purgeMeant(url)}, or write %2A for the character itself`;
}

function purgeMeant({ hostname, target }: CanonicalUrl): string {
  const beginning = directoryBefore(target);
  if (beginning !== '/') return `type prefix with ${shortened(formatUrl({ hostname, target: beginning }))}`;
  return hostname === undefined ? 'type all' : `type hostname with ${shortened(hostname)}`;
}

/** A prefix ends on the border of a path segment, and covers every query. */
function directoryBefore(target: string): string {
  const [path = ''] = target.split('?');
  const [plain = ''] = path.split('*');
  return plain === path ? path : plain.slice(0, plain.lastIndexOf('/') + 1);
}
