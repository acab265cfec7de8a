import { getEdgeState } from '../../shared/edge/behind-table.ts';
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

/** Waits until an edge that is behind may be tried again. */
export function untilDue(edgeId: string) {
  return eventually(
    () => getEdgeState(edgeId),
    (state) => state?.behind !== undefined && state.behind.nextAttemptAt <= new Date().toISOString(),
    60_000,
  );
}

/** Waits until an edge has got everything it missed. */
export function untilCurrent(edgeId: string) {
  return eventually(
    () => getEdgeState(edgeId),
    (state) => state !== undefined && !state.behind && state.settled === state.backlog,
    60_000,
  );
}
