import { canonicalTarget } from '../property/canonical-url.ts';
import { conditionPath } from './condition-path.ts';

type Pair = readonly [name: string, value: string];
type Pairs = ReadonlyMap<string, readonly Pair[]>;

/** A request as a server receives it. */
export interface ReceivedRequest {
  readonly scheme: 'http' | 'https';
  /** Canonical, without port. */
  readonly hostname: string;
  readonly method: string;
  /** Path and query as the client wrote them. */
  readonly target: string;
  /** Every line of its own, values decoded from UTF-8. */
  readonly headers: readonly Pair[];
}

/** A request as conditions look at it; host, scheme, method and header names in lower case. */
export interface EvaluatedRequest {
  readonly scheme: string;
  readonly host: string;
  readonly method: string;
  /** In the form that `conditionPath` gives it. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Pairs;
  readonly cookies: Pairs;
}

/** @returns undefined for a request that an edge refuses by 400, because of its path */
export function evaluatedRequest({
  scheme,
  hostname,
  method,
  target,
  headers,
}: ReceivedRequest): EvaluatedRequest | undefined {
  const path = conditionPath(target);
  if (path === undefined) return undefined;
  const sent = headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => name !== 'host');
  const cookies = sent.filter(([name]) => name === 'cookie').flatMap(([, value]) => cookiesIn(value));
  return {
    scheme,
    host: hostname,
    method: method.toLowerCase(),
    path,
    query: new URLSearchParams(canonicalTarget(target).replace(/^[^?]*/, '')),
    headers: byName([...sent, ['host', hostname]]),
    cookies: byName(cookies),
  };
}

function cookiesIn(header: string): readonly Pair[] {
  return header.split(';').map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), value.join('=').trim()];
  });
}

function byName(pairs: Iterable<Pair>): Pairs {
  return Map.groupBy(pairs, ([name]) => name);
}
