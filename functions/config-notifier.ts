import type { SQSEvent } from 'aws-lambda';
import { receivedGroups } from '../shared/aws/received.ts';
import { notifyEdges, notifyEdgesTouches } from '../shared/edge-config/notify.ts';
import type { FunctionDeclaration } from '../shared/ground/function.ts';
import { log } from '../shared/ground/log.ts';
import { ConfigNotification } from '../shared/property/config-notification-queue.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 10,
  touches: notifyEdgesTouches,
  consumes: 'configNotification',
  reachesEdges: true,
};

/** What cannot be read or brought is dropped: edges poll by themselves too. */
export async function handler({ Records }: SQSEvent): Promise<void> {
  const groups = receivedGroups(Records, ConfigNotification, ({ propertyId }) => propertyId);
  const owners = groups.flatMap(([first]) => ('message' in first ? [first.message] : []));
  try {
    await notifyEdges(owners);
  } catch (error) {
    log('error', 'edges not notified', { error });
  }
}
