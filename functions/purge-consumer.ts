import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { retryLater } from '../shared/aws/retry-later.ts';
import { keepMissed, keepMissedTouches } from '../shared/catch-up/keep-missed.ts';
import { coalesceKey } from '../shared/delivery/coalesce.ts';
import { deliver, deliverTouches } from '../shared/delivery/deliver.ts';
import type { Missed } from '../shared/delivery/missed.ts';
import { type EdgesInService, listEdges, listEdgesTouches } from '../shared/edge/registered-edges.ts';
import type { FunctionDeclaration } from '../shared/ground/function.ts';
import { log } from '../shared/ground/log.ts';
import { touching } from '../shared/ground/touches.ts';
import type { AcceptedPurge } from '../shared/purge/purge.ts';
import { PurgeMessage, retryPurgeTouches } from '../shared/purge/purge-queue.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 30,
  touches: touching(listEdgesTouches, deliverTouches, keepMissedTouches, retryPurgeTouches),
  consumes: 'purge',
  reachesEdges: true,
};

interface Delivery {
  readonly record: SQSRecord;
  /** Undefined for a message that cannot be read. */
  readonly purge: AcceptedPurge | undefined;
}

/** What came of the deliveries of equal purges. */
interface Outcome {
  readonly group: readonly Delivery[];
  readonly missed: readonly Missed[];
  /** Why their messages must come again. */
  readonly error?: unknown;
}

export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const edges = listEdges();
  const delivered = await Promise.all(groupsOf(Records.map(read)).map((group) => handle(group, edges)));
  const outcomes = await keepAll(delivered);
  const left = outcomes.filter((outcome) => 'error' in outcome);
  const puttingOff = left.flatMap(({ group, error }) => group.map((delivery) => putOff(delivery, error)));
  await Promise.all(puttingOff);
  return {
    batchItemFailures: left.flatMap(({ group }) =>
      group.map(({ record }) => ({ itemIdentifier: record.messageId })),
    ),
  };
}

/** Before any message is acknowledged: from then on nobody else would bring the edges what they have missed. */
async function keepAll(outcomes: readonly Outcome[]): Promise<readonly Outcome[]> {
  try {
    await keepMissed(outcomes.flatMap(({ missed }) => missed));
    return outcomes;
  } catch (error) {
    return outcomes.map((outcome) => (outcome.missed.length > 0 ? { ...outcome, error } : outcome));
  }
}

/** Equal purges are delivered as one; each group on its own, so that one that fails takes no other with it. */
function groupsOf(deliveries: readonly Delivery[]): readonly (readonly Delivery[])[] {
  const nameOf = ({ purge, record }: Delivery) => (purge ? coalesceKey(purge) : record.messageId);
  return [...Map.groupBy(deliveries, nameOf).values()];
}

function read(record: SQSRecord): Delivery {
  try {
    return { record, purge: PurgeMessage.parse(JSON.parse(record.body)).purge };
  } catch {
    return { record, purge: undefined };
  }
}

async function handle(group: readonly Delivery[], edges: Promise<EdgesInService>): Promise<Outcome> {
  try {
    const [first, ...others] = group.flatMap(({ purge }) => purge ?? []);
    if (!first) throw new Error('the message cannot be read');
    const isFirst = group.every(({ record }) => record.attributes.ApproximateReceiveCount === '1');
    return { group, missed: await deliver([first, ...others], await edges, isFirst, keepMissed) };
  } catch (error) {
    return { group, missed: [], error };
  }
}

/** One that cannot be read is given time too: during a rollout it may be of a newer version than this. */
async function putOff({ record }: Delivery, error: unknown): Promise<void> {
  log('error', 'purge not delivered', { messageId: record.messageId, error });
  await retryLater('purge', record);
}
