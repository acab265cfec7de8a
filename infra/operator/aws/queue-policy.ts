import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { sqs } from '../../../shared/aws/sqs.ts';
import { queueUrlOf } from './queue-messages.ts';

const Redrive = z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() });

/** How a queue hides, keeps and gives up its messages. */
export interface QueuePolicy {
  readonly visibilitySeconds: number;
  readonly retentionSeconds: number;
  /** Undefined where a message is tried without end. */
  readonly redrive: { readonly deadLetterQueue: string; readonly maxReceiveCount: number } | undefined;
}

export async function queuePolicy(name: string): Promise<QueuePolicy> {
  const { Attributes = {} } = await sqs().send(
    new GetQueueAttributesCommand({
      QueueUrl: await queueUrlOf(name),
      AttributeNames: ['VisibilityTimeout', 'MessageRetentionPeriod', 'RedrivePolicy'],
    }),
  );
  const { VisibilityTimeout, MessageRetentionPeriod, RedrivePolicy } = Attributes;
  return {
    visibilitySeconds: Number(VisibilityTimeout),
    retentionSeconds: Number(MessageRetentionPeriod),
    redrive: RedrivePolicy ? redriveIn(RedrivePolicy) : undefined,
  };
}

function redriveIn(text: string): QueuePolicy['redrive'] {
  const { deadLetterTargetArn, maxReceiveCount } = Redrive.parse(JSON.parse(text));
  return { deadLetterQueue: deadLetterTargetArn.split(':').at(-1) ?? '', maxReceiveCount };
}
