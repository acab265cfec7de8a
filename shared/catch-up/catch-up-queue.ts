import { SendMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { sqs } from '../aws/sqs.ts';
import { fromEnvironment, queueVariable, type Touches } from '../ground/resources.ts';

/** Asks for an edge to be caught up; it may be lost, since the schedule finds whoever is due. */
export const CatchUpMessage = z.object({ edgeId: z.string() });
export type CatchUpMessage = z.output<typeof CatchUpMessage>;

const longestDelaySeconds = 900;

export const sendCatchUpTouches = { queues: { catchUp: ['SendMessage'] } } as const satisfies Touches;

export const retryCatchUpTouches = {
  queues: { catchUp: ['ChangeMessageVisibility'] },
} as const satisfies Touches;

export async function sendCatchUp(edgeId: string, delaySeconds: number): Promise<void> {
  const message: CatchUpMessage = { edgeId };
  await sqs().send(
    new SendMessageCommand({
      QueueUrl: fromEnvironment(queueVariable('catchUp')),
      MessageBody: JSON.stringify(message),
      DelaySeconds: Math.min(delaySeconds, longestDelaySeconds),
    }),
  );
}
