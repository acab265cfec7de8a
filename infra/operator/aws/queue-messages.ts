import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { sqs } from '../../../shared/aws/sqs.ts';

const batchSize = 10;
/** Long enough to look through a long queue, short enough that an interrupted command hides nothing for good. */
const hiddenSeconds = 120;

export interface ReceivedMessage {
  readonly id: string;
  readonly body: string;
  readonly receiptHandle: string;
}

export async function queueUrlOf(name: string): Promise<string> {
  const { QueueUrl } = await sqs().send(new GetQueueUrlCommand({ QueueName: name }));
  if (!QueueUrl) throw new Error(`There is no queue ${name}`);
  return QueueUrl;
}

/**
 * What waits in a queue, hidden from others until it is released or two minutes are over; of a queue that
 * takes longer to read, only the beginning.
 */
export async function receiveAll(
  QueueUrl: string,
  isRead: (messages: number) => void,
): Promise<readonly ReceivedMessage[]> {
  const all = new Map<string, ReceivedMessage>();
  const deadline = Date.now() + (hiddenSeconds * 1000) / 2;
  while (Date.now() < deadline) {
    const { Messages = [] } = await sqs().send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: batchSize,
        VisibilityTimeout: hiddenSeconds,
        WaitTimeSeconds: 1,
      }),
    );
    if (Messages.length === 0) break;
    for (const message of Messages.map(received)) all.set(message.id, message);
    isRead(Messages.length);
  }
  return [...all.values()];
}

/** Lets others see the messages again, a second from now. */
export async function release(QueueUrl: string, messages: readonly ReceivedMessage[]): Promise<void> {
  for (let start = 0; start < messages.length; start += batchSize) {
    const Entries = messages.slice(start, start + batchSize).map(({ receiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: 1,
    }));
    await sqs().send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
  }
}

/** Sends a received message to another queue, and only then deletes it: in the worst case it is there twice. */
export async function moveTo(
  fromUrl: string,
  toUrl: string,
  { body, receiptHandle }: ReceivedMessage,
): Promise<void> {
  await sqs().send(new SendMessageCommand({ QueueUrl: toUrl, MessageBody: body }));
  await sqs().send(new DeleteMessageCommand({ QueueUrl: fromUrl, ReceiptHandle: receiptHandle }));
}

function received({ MessageId = '', Body = '', ReceiptHandle = '' }: Message): ReceivedMessage {
  return {
    id: MessageId,
    body: Body,
    receiptHandle: ReceiptHandle,
  };
}
