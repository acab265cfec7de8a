import type { Missed } from '../delivery/missed.ts';
import { retryDelaySeconds } from '../edge/lagging.ts';
import { log } from '../ground/log.ts';
import { touching } from '../ground/touches.ts';
import { sendCatchUp, sendCatchUpTouches } from './catch-up-queue.ts';
import { bumpHint, bumpHintTouches } from './hint-table.ts';

export const keepMissedTouches = touching(bumpHintTouches, sendCatchUpTouches);

/**
 * Keeps what edges have missed, once it is stored that they have yet to do it: one write for each edge and property.
 * Their catch-ups are asked for where none can be under way.
 */
export async function keepMissed(missed: readonly Missed[]): Promise<void> {
  const byHint = Map.groupBy(missed, ({ edgeId, propertyId }) => `${edgeId} ${propertyId}`);
  await Promise.all(
    [...byHint.values()].map(async (alike) => {
      const first = alike.reduce((earliest, each) => (each.since < earliest.since ? each : earliest));
      if (await bumpHint(first)) await askForCatchUp(first.edgeId);
    }),
  );
}

/** The schedule finds the hint where this is lost; the purges themselves need not come again for it. */
async function askForCatchUp(edgeId: string): Promise<void> {
  await sendCatchUp(edgeId, retryDelaySeconds(1)).catch((error: unknown) =>
    log('warn', 'catch-up not asked for', { edgeId, error }),
  );
}
