import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { sqs } from '../../../shared/aws/sqs.ts';
import { queueUrlOf } from './queue-messages.ts';

/** How many messages a queue holds, as SQS counts them: nearly. */
export interface QueueDepth {
  readonly waiting: number;
  /** Handed out, and not done yet. */
  readonly inWork: number;
  /** Not to be handed out yet. */
  readonly putOff: number;
}

const counts = {
  waiting: 'ApproximateNumberOfMessages',
  inWork: 'ApproximateNumberOfMessagesNotVisible',
  putOff: 'ApproximateNumberOfMessagesDelayed',
} as const;

export async function queueDepth(name: string): Promise<QueueDepth> {
  const { Attributes = {} } = await sqs().send(
    new GetQueueAttributesCommand({
      QueueUrl: await queueUrlOf(name),
      AttributeNames: Object.values(counts),
    }),
  );
  const { waiting, inWork, putOff } = counts;
  return {
    waiting: Number(Attributes[waiting]),
    inWork: Number(Attributes[inWork]),
    putOff: Number(Attributes[putOff]),
  };
}
