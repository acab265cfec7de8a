import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { messagesOf, type Received as ReceivedMessage, receivedGroups } from '../shared/aws/received.ts';
import { retryLater } from '../shared/aws/retry-later.ts';
import { keepMissed, keepMissedTouches } from '../shared/catch-up/keep-missed.ts';
import { coalesceKey } from '../shared/delivery/coalesce.ts';
import { deliver, deliverTouches } from '../shared/delivery/deliver.ts';
import type { Missed } from '../shared/delivery/missed.ts';
import { edgesFor, openEdgesTouches } from '../shared/edge/registered-edges.ts';
import { type Registry, readRegistry, readRegistryTouches } from '../shared/edge/registry.ts';
import type { FunctionDeclaration } from '../shared/ground/function.ts';
import { log } from '../shared/ground/log.ts';
import type { NonEmpty } from '../shared/ground/non-empty.ts';
import { onDemand } from '../shared/ground/on-demand.ts';
import { touching } from '../shared/ground/touches.ts';
import { writeCompletionTimes } from '../shared/purge/completion-times.ts';
import { PurgeMessage, retryPurgeTouches } from '../shared/purge/purge-queue.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 30,
  touches: touching(
    readRegistryTouches,
    openEdgesTouches,
    deliverTouches,
    keepMissedTouches,
    retryPurgeTouches,
  ),
  consumes: 'purge',
  reachesEdges: true,
};

type Received = ReceivedMessage<PurgeMessage>;

/** What came of the deliveries of equal purges. */
interface Outcome {
  readonly group: NonEmpty<Received>;
  readonly missed: readonly Missed[];
  /** Why their messages must come again. */
  readonly error?: unknown;
}

export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const groups = receivedGroups(Records, PurgeMessage, ({ purge }) => coalesceKey(purge));
  const registry = onDemand(readRegistry);
  const delivered = await Promise.all(groups.map((group) => handle(group, registry)));
  const outcomes = await keepAll(delivered);
  const left = outcomes.filter((outcome) => 'error' in outcome);
  const puttingOff = left.flatMap(({ group, error }) => group.map((delivery) => putOff(delivery, error)));
  await Promise.all(puttingOff);
  writeCompletionTimes();
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

/** Equal purges are delivered as one. */
async function handle(group: NonEmpty<Received>, registry: () => Promise<Registry>): Promise<Outcome> {
  try {
    const [{ purge: first }, ...others] = messagesOf(group);
    const purges = [first, ...others.map(({ purge }) => purge)] as const;
    const isFirst = group.every(({ record }) => record.attributes.ApproximateReceiveCount === '1');
    const edges = await edgesFor(await registry(), first);
    return { group, missed: await deliver(purges, edges, isFirst, keepMissed) };
  } catch (error) {
    return { group, missed: [], error };
  }
}

/** One that cannot be read is given time too: during a rollout it may be of a newer version than this. */
async function putOff({ record }: Received, error: unknown): Promise<void> {
  log('error', 'purge not delivered', { messageId: record.messageId, error });
  await retryLater('purge', record);
}
