import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { messagesOf, type Received, receivedGroups } from '../shared/aws/received.ts';
import { retryLater } from '../shared/aws/retry-later.ts';
import { InvalidationMessage, retryInvalidationTouches } from '../shared/delivery/invalidation-queue.ts';
import { findEdges, findEdgesTouches } from '../shared/edge/registry.ts';
import type { EdgeItem } from '../shared/edge/registry-table.ts';
import type { FunctionDeclaration } from '../shared/ground/function.ts';
import { log } from '../shared/ground/log.ts';
import type { NonEmpty } from '../shared/ground/non-empty.ts';
import { onDemand } from '../shared/ground/on-demand.ts';
import { inParallel } from '../shared/ground/parallel.ts';
import { touching } from '../shared/ground/touches.ts';
import { groupName, invalidate, invalidateTouches } from '../shared/invalidation/invalidate.ts';
import { writeCompletionTimes } from '../shared/purge/completion-times.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 60,
  touches: touching(findEdgesTouches, invalidateTouches, retryInvalidationTouches),
  consumes: 'invalidation',
};

const concurrentRetries = 16;

export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const groups = receivedGroups(Records, InvalidationMessage, groupName);
  const ids = groups.flatMap(([first]) => ('message' in first ? [first.message.edgeId] : []));
  const edges = onDemand(() => findEdges(ids));
  const left = await Promise.all(groups.map((group) => handle(group, edges)));
  await inParallel(left.flat(), concurrentRetries, ({ record }) => retryLater('invalidation', record));
  writeCompletionTimes();
  return { batchItemFailures: left.flat().map(({ record }) => ({ itemIdentifier: record.messageId })) };
}

/** @returns the messages that are not done with */
async function handle(
  group: NonEmpty<Received<InvalidationMessage>>,
  edges: () => Promise<readonly EdgeItem[]>,
): Promise<readonly Received<InvalidationMessage>[]> {
  try {
    await invalidate(messagesOf(group), await edges());
    return [];
  } catch (error) {
    for (const { record } of group)
      log('error', 'purges not invalidated', { messageId: record.messageId, error });
    return group;
  }
}
