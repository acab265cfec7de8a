import { type Backend, backends } from '../../../../shared/edge/backends.ts';
import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import type { Edge } from '../../../../shared/edge/edge.ts';

/** Whether the backend states that it can do such a purge. */
export const canPurge = (
  { driver }: Pick<Edge, 'driver'>,
  { type, soft }: Pick<EdgePurge, 'type' | 'soft'>,
): boolean => {
  const backend: Backend = backends[driver];
  return backend.types.includes(type) && (backend.soft || !soft);
};
