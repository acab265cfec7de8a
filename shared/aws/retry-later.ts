import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import { log } from '../ground/log.ts';
import { fromEnvironment, type QueueName, queueVariable } from '../ground/resources.ts';
import { sqs } from './sqs.ts';

/** What is needed of a message that a function was handed. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
}

/** Short, since the count is also of other messages' failures: a batch is handed out as a whole. */
const longestSeconds = 60;

/**
 * Has a message that could not be handled come again after a while, later each time, instead of after the queue's
 * own time. Needs `ChangeMessageVisibility`.
 */
export async function retryLater(
  queue: QueueName,
  { messageId, receiptHandle, attributes }: ReceivedMessage,
): Promise<void> {
  const receiveCount = Number(attributes.ApproximateReceiveCount);
  const command = new ChangeMessageVisibilityCommand({
    QueueUrl: fromEnvironment(queueVariable(queue)),
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: Math.min(2 ** (receiveCount - 1), longestSeconds),
  });
  await sqs()
    .send(command)
    .catch((error: unknown) => log('error', 'message not put off', { messageId, error }));
}
