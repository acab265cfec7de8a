import { getEdgeState } from '../../shared/edge/lagging-table.ts';
import { eventually } from './eventually.ts';
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

/** Waits until an edge that lags may be tried again. */
export function untilDue(edgeId: string) {
  return eventually(
    () => getEdgeState(edgeId),
    (state) => state?.lagging !== undefined && state.lagging.nextAttemptAt <= new Date().toISOString(),
    60_000,
  );
}

/** Waits until an edge has got everything it missed. */
export function untilCurrent(edgeId: string) {
  return eventually(
    () => getEdgeState(edgeId),
    (state) => state !== undefined && !state.lagging && state.settled === state.hintSet,
    60_000,
  );
}
