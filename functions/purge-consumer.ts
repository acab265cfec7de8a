import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { HintSet } from '../shared/catch-up/hint-table.ts';
import { isStillOpen, isStillOpenTouches, keepHint, keepHintTouches } from '../shared/catch-up/hints.ts';
import { type CoalescedPurges, coalesceKey } from '../shared/delivery/coalesce.ts';
import { deliver, deliverTouches } from '../shared/delivery/deliver.ts';
import { listEdges, listEdgesTouches, type RegisteredEdge } from '../shared/edge/edge-table.ts';
import type { FunctionDeclaration } from '../shared/ground/function.ts';
import { log } from '../shared/ground/log.ts';
import { touching } from '../shared/ground/touches.ts';
import type { AcceptedPurge } from '../shared/purge/purge.ts';
import { PurgeMessage, retryMessage, retryMessageTouches } from '../shared/purge/purge-queue.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 30,
  touches: touching(
    listEdgesTouches,
    deliverTouches,
    keepHintTouches,
    isStillOpenTouches,
    retryMessageTouches,
  ),
  consumes: 'purge',
  reachesEdges: true,
};

const longestDelaySeconds = 300;

interface Delivery {
  readonly record: SQSRecord;
  /** Undefined for a message that cannot be read. */
  readonly purge: AcceptedPurge | undefined;
}

export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const edges = listEdges();
  const left = await Promise.all(groupsOf(Records.map(read)).map((group) => handle(group, edges)));
  return {
    batchItemFailures: left.flat().map(({ record }) => ({ itemIdentifier: record.messageId })),
  };
}

/** Equal purges are delivered as one; each group on its own, so that one that fails takes no other with it. */
function groupsOf(deliveries: readonly Delivery[]): readonly (readonly Delivery[])[] {
  return Object.values(
    Object.groupBy(deliveries, ({ purge, record }) => (purge ? coalesceKey(purge) : record.messageId)),
  ).filter((group) => group !== undefined);
}

function read(record: SQSRecord): Delivery {
  try {
    return { record, purge: PurgeMessage.parse(JSON.parse(record.body)).purge };
  } catch {
    return { record, purge: undefined };
  }
}

/** @returns the messages that are not done with */
async function handle(
  group: readonly Delivery[],
  edges: Promise<readonly RegisteredEdge[]>,
): Promise<readonly Delivery[]> {
  try {
    const [first, ...others] = group.flatMap(({ purge }) => purge ?? []);
    if (!first) throw new Error('the message cannot be read');
    const isFirst = group.every(({ record }) => record.attributes.ApproximateReceiveCount === '1');
    await deliverWithHints([first, ...others], await edges, isFirst);
    return [];
  } catch (error) {
    await Promise.all(group.map((delivery) => putOff(delivery, error)));
    return group;
  }
}

/** What edges miss is kept as hints, which their catch-up is then certain to see. */
async function deliverWithHints(
  purges: CoalescedPurges,
  edges: readonly RegisteredEdge[],
  isFirst: boolean,
): Promise<void> {
  const kept: HintSet[] = [];
  await deliver(purges, edges, isFirst, async (edge, cause, { propertyId, id }) => {
    const set = await keepHint(edge, cause, { propertyId, since: id }, new Date());
    if (set) kept.push(set);
    return set !== undefined;
  });
  const stillOpen = await Promise.all(kept.map(isStillOpen));
  if (!stillOpen.every(Boolean)) throw new Error('an edge caught up meanwhile, and must be asked again');
}

/** A message that can never be read goes to the dead-letter queue soon; what may pass is given time. */
async function putOff({ record, purge }: Delivery, error: unknown): Promise<void> {
  const { messageId, receiptHandle, attributes } = record;
  const receiveCount = Number(attributes.ApproximateReceiveCount);
  const delaySeconds = purge ? Math.min(2 ** (receiveCount - 1), longestDelaySeconds) : 1;
  log('error', 'purge not delivered', { messageId, error });
  await retryMessage(receiptHandle, delaySeconds).catch((failure: unknown) =>
    log('error', 'purge not put off', { messageId, error: failure }),
  );
}
