import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { sqs } from '../aws/sqs.ts';
import { log } from '../ground/log.ts';
import { fromEnvironment, queueVariable, type Touches } from '../ground/resources.ts';
import type { PropertyOwner } from './property-owner.ts';

/** Says that edges which have the property have something to ask for; it may be lost, since they ask anyway. */
export const ConfigNotification = z.object({ accountId: z.string(), propertyId: z.string() });
export type ConfigNotification = z.output<typeof ConfigNotification>;

/** The change is written, and its response is worth more than a notification. */
const longestWaitMilliseconds = 100;

export const queueConfigNotificationTouches = {
  queues: { configNotification: ['SendMessage'] },
} as const satisfies Touches;

/** Never fails, and holds up a change for a moment at most. */
export async function queueConfigNotification(owner: PropertyOwner): Promise<void> {
  const sent = send(owner).catch((error: unknown) =>
    log('warn', 'edges not notified', { propertyId: owner.propertyId, error }),
  );
  await Promise.race([sent, sleep(longestWaitMilliseconds, undefined, { ref: false })]);
}

async function send({ accountId, propertyId }: PropertyOwner): Promise<void> {
  const message: ConfigNotification = { accountId, propertyId };
  await sqs().send(
    new SendMessageCommand({
      QueueUrl: fromEnvironment(queueVariable('configNotification')),
      MessageBody: JSON.stringify(message),
    }),
  );
}
