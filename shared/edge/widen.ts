import { type Backend, backends } from './backends.ts';
import type { EdgePurge } from './driver.ts';
import type { Edge } from './edge.ts';

type Asked = Pick<EdgePurge, 'type' | 'soft'>;

/** What a backend cannot do of a purge. */
export function lackOf({ types, soft }: Backend, asked: Asked): 'type' | 'soft' | undefined {
  if (!types[asked.type]) return 'type';
  return asked.soft && !soft ? 'soft' : undefined;
}

/** What the edge is asked for: the purge, or everything of the property where it was registered to be asked so. */
export function widened(
  { driver, isWidened }: Pick<Edge, 'driver' | 'isWidened'>,
  purge: EdgePurge,
): EdgePurge {
  if (!isWidened || lackOf(backends[driver], purge) === undefined) return purge;
  return { type: 'all', soft: false, hostnames: purge.hostnames, values: [] };
}
