import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { sqs } from '../aws/sqs.ts';
import { fromEnvironment, queueVariable, type Touches } from '../ground/resources.ts';
import { AcceptedPurge } from './purge.ts';

/** One purge, whole. */
export const PurgeMessage = z.object({ purge: AcceptedPurge });
export type PurgeMessage = z.output<typeof PurgeMessage>;

const counts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

export const sendPurgeTouches = { queues: { purge: ['SendMessage'] } } as const satisfies Touches;

/** Resolves when the queue has the message for good. */
export async function sendPurge(purge: AcceptedPurge): Promise<void> {
  const message: PurgeMessage = { purge };
  await sqs().send(
    new SendMessageCommand({
      QueueUrl: fromEnvironment(queueVariable('purge')),
      MessageBody: JSON.stringify(message),
    }),
  );
}

export const retryPurgeTouches = {
  queues: { purge: ['ChangeMessageVisibility'] },
} as const satisfies Touches;

export const isQueueEmptyTouches = {
  queues: { purge: ['GetQueueAttributes'] },
} as const satisfies Touches;

/** Whether no message waits, is in hand or is put off; those that were given up do not count. */
export async function isQueueEmpty(): Promise<boolean> {
  const { Attributes = {} } = await sqs().send(
    new GetQueueAttributesCommand({
      QueueUrl: fromEnvironment(queueVariable('purge')),
      AttributeNames: [...counts],
    }),
  );
  return counts.every((name) => Attributes[name] === '0');
}
