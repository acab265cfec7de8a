import { ChangeMessageVisibilityCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { sqs } from '../aws/sqs.ts';
import { fromEnvironment, queueVariable } from '../resources.ts';
import { AcceptedPurge } from './purge.ts';

/** One purge, whole; `pass` counts the messages that were sent for it. */
export const PurgeMessage = z.object({
  purge: AcceptedPurge,
  pass: z.int().optional(),
});
export type PurgeMessage = z.output<typeof PurgeMessage>;

/** Resolves when the queue has the message for good. */
export const sendPurge = async (message: PurgeMessage, delaySeconds = 0): Promise<void> => {
  await sqs().send(
    new SendMessageCommand({
      QueueUrl: fromEnvironment(queueVariable('purge')),
      MessageBody: JSON.stringify(message),
      DelaySeconds: delaySeconds,
    }),
  );
};

/** Makes a message that could not be handled visible again after a while, instead of the queue's own time. */
export const retryMessage = async (receiptHandle: string, delaySeconds: number): Promise<void> => {
  await sqs().send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: fromEnvironment(queueVariable('purge')),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: delaySeconds,
    }),
  );
};
