import type { PurgeType } from '../ground/purge-type.ts';
import type { EdgeTier } from './tier.ts';

/** What a backend, a kind of edge, can do. A purge that it does not know is refused when it is asked for. */
export interface Backend {
  /** It can be purged by `all` in any case: that may stand for all that an edge has missed. */
  readonly types: Readonly<Record<PurgeType, boolean>> & { readonly all: true };
  /** Whether it can mark content stale instead of removing it. */
  readonly soft: boolean;
  readonly tiers: readonly EdgeTier[];
  /** Whether requests to it are signed with a secret of the edge's own. */
  readonly hasSecret: boolean;
  /**
   * `immediate`: it responds when it has done a purge. `asynchronous`: it works on a purge for seconds or minutes, and
   * is asked whether it is done.
   */
  readonly mode: 'immediate' | 'asynchronous';
}

/** Every backend by its name, one line each. */
export const backends = {
  varnish: {
    types: { all: true, url: true, prefix: true, tag: true, hostname: true },
    soft: true,
    tiers: ['edge', 'shield'],
    hasSecret: true,
    mode: 'immediate',
  },
  cloudfront: {
    types: { all: true, url: true, prefix: true, tag: false, hostname: true },
    soft: false,
    tiers: ['edge'],
    hasSecret: false,
    mode: 'asynchronous',
  },
} as const satisfies Readonly<Record<string, Backend>>;

export type EdgeDriverName = keyof typeof backends;

type NamesIn<Mode extends Backend['mode']> = {
  [Name in EdgeDriverName]: (typeof backends)[Name]['mode'] extends Mode ? Name : never;
}[EdgeDriverName];

export type ImmediateDriverName = NamesIn<'immediate'>;
export type AsynchronousDriverName = NamesIn<'asynchronous'>;
