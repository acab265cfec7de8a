import type { PurgeType } from '../ground/purge-type.ts';

/** What kind of edge a driver speaks to; a purge that it does not know is refused when it is asked for. */
export interface Backend {
  /** `all` among them: one purge of everything may stand for all that an edge has missed. */
  readonly types: readonly PurgeType[];
  /** Whether it can mark content stale instead of removing it. */
  readonly soft: boolean;
  /** `at once`: each purge by itself, by an EdgeDriver. `in batches`: what has come together, by a BatchDriver. */
  readonly asked: 'at once' | 'in batches';
}

/** Every backend by its name, one line each. */
export const backends = {
  varnish: { types: ['all', 'url', 'prefix', 'tag', 'hostname'], soft: true, asked: 'at once' },
  cloudfront: { types: ['all', 'url', 'prefix', 'hostname'], soft: false, asked: 'in batches' },
} as const satisfies Readonly<Record<string, Backend>>;

export type EdgeDriverName = keyof typeof backends;

type AskedLike<Asked> = {
  [Name in EdgeDriverName]: (typeof backends)[Name]['asked'] extends Asked ? Name : never;
}[EdgeDriverName];

/** Backends that the consumer asks itself. */
export type DirectDriverName = AskedLike<'at once'>;

/** Backends that only the catch-up asks. */
export type BatchDriverName = AskedLike<'in batches'>;

export function isDirect(name: EdgeDriverName): name is DirectDriverName {
  return backends[name].asked === 'at once';
}
