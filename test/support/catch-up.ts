import { absent, allOf, present } from '../../shared/aws/expression.ts';
import { updateItem } from '../../shared/aws/table.ts';
import { listHints } from '../../shared/catch-up/hint-table.ts';
import { findEdge } from '../../shared/edge/edge-table.ts';
import { scheduleAttempt } from '../../shared/edge/lagging-table.ts';
import { edgeKey, edges, stateOf } from '../../shared/edge/registry-table.ts';
import { eventually } from './eventually.ts';
import { edgeState } from './registry.ts';
import type { TestRun } from './test-run.ts';

/** Loses every message that asks for a catch-up, until the fault is taken back. */
export function loseCatchUpMessages({ aws }: TestRun): void {
  aws.fault = (operation, { QueueUrl }) =>
    operation === 'sqs:SendMessage' && String(QueueUrl).endsWith('-catch-up') ? 'refuse' : undefined;
}

/** What happens each minute, at once. */
export function callSchedule({ functions }: TestRun): Promise<unknown> {
  return functions.invoke('CdnManagement-catch-up-schedule', {});
}

/** Tries an edge again at once, by the schedule, instead of when its delay is over; nothing where it does not lag. */
export async function catchUpNow(run: TestRun, edgeId: string): Promise<void> {
  const edge = await findEdge(edgeId);
  const lagging = edge && stateOf(edge).lagging;
  if (!lagging) return;
  await scheduleAttempt(edge, { attempts: lagging.attempts, nextAttemptAt: new Date().toISOString() });
  await callSchedule(run);
}

/** Ends the delay of an edge that nobody is catching up. */
export async function endDelay(edgeId: string): Promise<void> {
  const edge = await findEdge(edgeId);
  if (!edge) return;
  const nobodyIsAtIt = allOf<'nextAttemptAt' | 'claimedBy'>(present('nextAttemptAt'), absent('claimedBy'));
  await updateItem(edges, edgeKey(edge), { set: { nextAttemptAt: new Date().toISOString() } }, nobodyIsAtIt);
}

/** Waits until somebody is at it to catch an edge up, or was. */
export async function untilCatchingUp(edgeId: string): Promise<void> {
  await eventually(
    () => edgeState(edgeId),
    (state) => !state?.lagging || state.lagging.claimedBy !== undefined,
    60_000,
  );
}

/** Whether an edge has got everything it missed. */
export async function isCurrent(edgeId: string): Promise<boolean> {
  const [state, hints] = await Promise.all([edgeState(edgeId), listHints(edgeId)]);
  return state !== undefined && !state.lagging && hints.length === 0;
}

export function untilCurrent(edgeId: string) {
  return eventually(
    () => isCurrent(edgeId),
    (isIt) => isIt,
    60_000,
  );
}
