import type { EdgePurge } from '../edge/driver.ts';
import type { EdgesInService } from '../edge/registered-edges.ts';
import { touching } from '../ground/touches.ts';
import { isCompleted, pendingOn } from '../purge/progress.ts';
import type { AcceptedPurge } from '../purge/purge.ts';
import {
  changeProgressTouches,
  putFirstProgressTouches,
  type StoredProgress,
  startPurge,
  startPurgeTouches,
} from '../purge/purge-progress-table.ts';
import type { EdgeResponse, Responses } from './attempt.ts';
import { type CoalescedPurges, coalesceKey, doneFor, rememberDone } from './coalesce.ts';
import { fanOut } from './fan-out.ts';
import { handOverTouches } from './hand-over.ts';
import { type KeepMissed, type Missed, missedOf, openBreakers, openBreakersTouches } from './missed.ts';
import { onSlow } from './on-slow.ts';
import { saveResponses } from './save-responses.ts';

type ImmediateEdges = EdgesInService['immediate'];

export const deliverTouches = touching(
  startPurgeTouches,
  putFirstProgressTouches,
  changeProgressTouches,
  openBreakersTouches,
  handOverTouches,
);

/**
 * Brings coalesced purges, as one, to the edges that have yet to do it.
 * @param edges those in service
 * @param isFirst whether none of the purges can have been taken up before
 * @param keepMissed for what must be kept before a shield counts as done
 * @returns what must be kept for edges before the purges' messages are acknowledged
 */
export async function deliver(
  purges: CoalescedPurges,
  edges: EdgesInService,
  isFirst: boolean,
  keepMissed: KeepMissed,
): Promise<readonly Missed[]> {
  const now = new Date();
  const start = () => startAll(purges, edges, now);
  const before = isFirst ? undefined : await start();
  const due = dueOf(edges.immediate, before);
  const asking = ask(purges, due, isFirst);
  const { result, meanwhile: started } = before
    ? { result: await asking, meanwhile: before }
    : await onSlow(asking, start);
  await openBreakers(due, result);
  const responses = { ...result, ...sparedResponses(due, now) };
  const missed = purges.map(async (purge, index) => {
    const stored = { known: before?.[index], started: started?.[index] };
    const progress = await saveResponses(purge, stored, edges, responses, keepMissed, now);
    return missedOf(purge, progress, responses, edges.asynchronous);
  });
  return (await Promise.all(missed)).flat();
}

/**
 * Shows the purges as running before their edges have responded; most are done at once and spared this write.
 * @returns where they stand
 */
function startAll(
  purges: CoalescedPurges,
  { all }: EdgesInService,
  now: Date,
): Promise<readonly StoredProgress[]> {
  const pending = pendingOn(all);
  return Promise.all(purges.map((purge) => startPurge(purge, pending, now)));
}

function dueOf(edges: ImmediateEdges, started: readonly StoredProgress[] | undefined): ImmediateEdges {
  return started
    ? edges.filter(({ id }) => started.some(({ progress }) => progress[id] && !isCompleted(progress[id])))
    : edges;
}

/** Asks the edges whose breakers are closed, unless an equal purge has asked them all since these came. */
async function ask(purges: CoalescedPurges, due: ImmediateEdges, isFirst: boolean): Promise<Responses> {
  const asked = due.filter(({ lagging }) => !lagging?.isBreakerOpen);
  const key = coalesceKey(purges[0]);
  // A shield may have done an earlier delivery since the equal purge asked the edges below it.
  const known = isFirst ? doneFor(key, purges, asked) : undefined;
  if (known) return known;
  const startedAt = Date.now();
  const responses = await fanOut(asked, toEdgePurge(purges[0]));
  rememberDone(key, startedAt, responses);
  return responses;
}

function toEdgePurge({ type, soft, hostnames, values }: AcceptedPurge): EdgePurge {
  return { type, soft, hostnames, values };
}

/** An edge whose breaker is open is spared, which is as good as a response that it failed. */
function sparedResponses(edges: ImmediateEdges, now: Date): Responses {
  return Object.fromEntries(
    edges.flatMap(({ id, lagging }): [string, EdgeResponse][] => {
      if (!lagging?.isBreakerOpen) return [];
      const failure = { kind: lagging.kind, message: lagging.reason };
      return [[id, { attempts: 0, failure, at: now.getTime() }]];
    }),
  );
}
