import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { retryLater } from '../shared/aws/retry-later.ts';
import { InvalidationMessage, retryInvalidationTouches } from '../shared/delivery/invalidation-queue.ts';
import {
  type EdgesInService,
  listEdgeItemsTouches,
  listEdgesWithoutSecrets,
} from '../shared/edge/registered-edges.ts';
import type { FunctionDeclaration } from '../shared/ground/function.ts';
import { log } from '../shared/ground/log.ts';
import { inParallel } from '../shared/ground/parallel.ts';
import { touching } from '../shared/ground/touches.ts';
import { groupName, invalidate, invalidateTouches } from '../shared/invalidation/invalidate.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 60,
  touches: touching(listEdgeItemsTouches, invalidateTouches, retryInvalidationTouches),
  consumes: 'invalidation',
};

const concurrentRetries = 16;

interface Delivery {
  readonly record: SQSRecord;
  /** Undefined for a message that cannot be read. */
  readonly message: InvalidationMessage | undefined;
}

export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const edges = listEdgesWithoutSecrets();
  const left = await Promise.all(groupsOf(Records.map(read)).map((group) => handle(group, edges)));
  await inParallel(left.flat(), concurrentRetries, ({ record }) => retryLater('invalidation', record));
  return { batchItemFailures: left.flat().map(({ record }) => ({ itemIdentifier: record.messageId })) };
}

function read(record: SQSRecord): Delivery {
  try {
    return { record, message: InvalidationMessage.parse(JSON.parse(record.body)) };
  } catch {
    return { record, message: undefined };
  }
}

/** What is worked on together; each group on its own, so that one that fails takes no other with it. */
function groupsOf(deliveries: readonly Delivery[]): readonly (readonly Delivery[])[] {
  const nameOf = ({ message, record }: Delivery) => (message ? groupName(message) : record.messageId);
  return [...Map.groupBy(deliveries, nameOf).values()];
}

/** @returns the messages that are not done with */
async function handle(
  group: readonly Delivery[],
  edges: Promise<EdgesInService>,
): Promise<readonly Delivery[]> {
  try {
    const [first, ...others] = group.flatMap(({ message }) => message ?? []);
    if (!first) throw new Error('the message cannot be read');
    await invalidate([first, ...others], await edges);
    return [];
  } catch (error) {
    for (const { record } of group)
      log('error', 'purges not invalidated', { messageId: record.messageId, error });
    return group;
  }
}
