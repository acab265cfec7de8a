import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { sqs } from '../../shared/aws/sqs.ts';
import { type CostRun, stackName } from './cost-run.ts';

/** Each waits for a second. */
const mostTries = 30;

/** Gives the consumer so many purges in one event, once the queue has them, as its event source would. */
export async function handOver({ functions, purgeQueueUrl }: CostRun, count: number): Promise<void> {
  const messages: Message[] = [];
  for (let tries = 0; messages.length < count; tries += 1) {
    if (tries === mostTries) throw new Error(`The queue holds ${messages.length} of ${count} purges`);
    messages.push(...(await receive(purgeQueueUrl, count - messages.length)));
  }
  const Records = messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Attributes,
    eventSource: 'aws:sqs',
  }));
  const response = await functions.invoke(`${stackName}-purge-consumer`, { Records });
  const { batchItemFailures } = response as { batchItemFailures: readonly unknown[] };
  if (batchItemFailures.length > 0) throw new Error('The consumer has not delivered every purge');
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await sqs().send(new DeleteMessageBatchCommand({ QueueUrl: purgeQueueUrl, Entries }));
}

async function receive(QueueUrl: string, most: number): Promise<readonly Message[]> {
  const { Messages = [] } = await sqs().send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: most,
      MessageSystemAttributeNames: ['All'],
      WaitTimeSeconds: 1,
    }),
  );
  return Messages;
}
