import { SendMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { sqs } from '../aws/sqs.ts';
import { fromEnvironment, queueVariable, type Touches } from '../ground/resources.ts';

/** Purges of a property that an edge of an asynchronous backend has yet to do. */
export const InvalidationMessage = z.object({
  edgeId: z.string(),
  propertyId: z.string(),
  purgeIds: z.array(z.string()),
  /** When the first message about them was sent. */
  since: z.string(),
  /** How often in a row the backend has failed. */
  failures: z.int(),
  /**
   * The first may be over while a fetch from before it is not; the second takes away what that has brought back.
   */
  pass: z.literal([1, 2]),
  /** What the backend is doing for them. */
  work: z
    .object({
      /** By which the backend knows it. */
      handle: z.string(),
      /** Ids of the shields that were known to have done the purges when it began. */
      shieldsDone: z.array(z.string()),
    })
    .optional(),
});
export type InvalidationMessage = z.output<typeof InvalidationMessage>;

/** So many purges are worked on together: their ids fit into a message, and their reads into the time limit. */
const mostPurges = 1_000;

/** As many ids as one message may have. */
export function chunksOf(ids: readonly string[]): readonly string[][] {
  return Array.from({ length: Math.ceil(ids.length / mostPurges) }, (_, index) =>
    ids.slice(index * mostPurges, (index + 1) * mostPurges),
  );
}

export const sendInvalidationTouches = {
  queues: { invalidation: ['SendMessage'] },
} as const satisfies Touches;

export const retryInvalidationTouches = {
  queues: { invalidation: ['ChangeMessageVisibility'] },
} as const satisfies Touches;

export async function sendInvalidation(message: InvalidationMessage, delaySeconds: number): Promise<void> {
  await sqs().send(
    new SendMessageCommand({
      QueueUrl: fromEnvironment(queueVariable('invalidation')),
      MessageBody: JSON.stringify(message),
      DelaySeconds: delaySeconds,
    }),
  );
}
