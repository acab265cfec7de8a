import { type Backend, backends } from '../edge/backends.ts';
import type { EdgeKind } from '../edge/edge-kinds.ts';
import { lackOf } from '../edge/widen.ts';
import { ApiError } from '../ground/api-error.ts';
import { namesOf } from '../ground/names.ts';
import type { PurgeRequest } from './purge.ts';

/**
 * Some backends cannot do everything, and a purge that one edge never does must not be taken for done.
 * @throws ApiError `invalid` naming the edges that cannot do it, and what they can
 */
export function checkCapabilities(request: PurgeRequest, edges: readonly EdgeKind[]): void {
  const faults = edges.flatMap(({ id, driver, isWidened }) => {
    const fault = isWidened ? undefined : faultOf(backends[driver], request);
    return fault ? [`the edge ${id} (${driver}) ${fault}`] : [];
  });
  if (faults.length > 0)
    throw new ApiError('invalid', `This purge is not possible here: ${faults.join('; ')}.`);
}

function faultOf(backend: Backend, request: PurgeRequest): string | undefined {
  switch (lackOf(backend, request)) {
    case 'type': {
      const able = namesOf(backend.types).filter((type) => backend.types[type]);
      return `can be purged by ${able.join(', ')} only, not by ${request.type}`;
    }
    case 'soft':
      return 'cannot mark content stale: leave soft out';
    case undefined:
      return undefined;
  }
}
