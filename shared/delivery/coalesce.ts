import { createHash } from 'node:crypto';
import type { Edge } from '../edge/edge.ts';
import { clockToleranceMilliseconds } from '../ground/clock.ts';
import type { NonEmpty } from '../ground/non-empty.ts';
import type { AcceptedPurge } from '../purge/purge.ts';
import type { Responses } from './attempt.ts';

/** Purges that ask for the same, one at least. */
export type CoalescedPurges = NonEmpty<AcceptedPurge>;

const remembered = 1_000;

interface Done {
  /** Milliseconds of Unix time at which the first edge was asked. */
  readonly startedAt: number;
  readonly responses: Responses;
}

/** What this process has lately done, for equal purges that were waiting then: they need no edge any more. */
const done = new Map<string, Done>();

/** The same for purges that ask for the same. */
export function coalesceKey({ propertyId, type, soft, hostnames, values }: AcceptedPurge): string {
  return createHash('sha256')
    .update(JSON.stringify([propertyId, type, soft, hostnames, values]))
    .digest('base64');
}

/** One failure is enough to forget all: the edges would have to be asked again in their order. */
export function rememberDone(key: string, startedAt: number, responses: Responses): void {
  if (done.size >= remembered) done.clear();
  if (Object.values(responses).every(({ failure }) => !failure)) done.set(key, { startedAt, responses });
}

/**
 * What the edges have already done for all of these equal purges, since they were asked after the last of them
 * came; undefined unless that holds for every edge.
 */
export function doneFor(
  key: string,
  purges: readonly AcceptedPurge[],
  edges: readonly Pick<Edge, 'id'>[],
): Responses | undefined {
  const known = done.get(key);
  if (!known) return undefined;
  const isCovered = ({ createdAt }: AcceptedPurge): boolean =>
    Date.parse(createdAt) + clockToleranceMilliseconds < known.startedAt;
  return purges.every(isCovered) && edges.every(({ id }) => known.responses[id])
    ? known.responses
    : undefined;
}
