import type { CatchUpMessage } from '../../shared/catch-up/catch-up-queue.ts';
import type { InvalidationMessage } from '../../shared/delivery/invalidation-queue.ts';
import type { QueueName } from '../../shared/ground/resources.ts';
import { exampleIds, exampleTime } from '../../shared/http/examples.ts';
import type { ConfigNotification } from '../../shared/property/config-notification-queue.ts';
import type { PurgeMessage } from '../../shared/purge/purge-queue.ts';
import { physicalQueueName } from '../definition/physical-names.ts';
import { awsAccountId, eventId, region } from './gateway-event.ts';

const stack = 'CdnManagement';

const purgeMessage: PurgeMessage = {
  purge: {
    id: exampleIds.purge,
    accountId: exampleIds.account,
    propertyId: exampleIds.property,
    hostnames: ['www.example.com'],
    type: 'all',
    soft: false,
    values: [],
    jobCount: 1,
    requestedBy: { scheme: 'apiKey', id: exampleIds.apiKey, prefix: 'svc_EXAM' },
    createdAt: exampleTime,
  },
};
const catchUpMessage: CatchUpMessage = { edgeId: 'paris-1' };

const invalidationMessage: InvalidationMessage = {
  edgeId: 'cdn',
  propertyId: exampleIds.property,
  purgeIds: [exampleIds.purge],
  since: exampleTime,
  failures: 0,
  pass: 1,
};

const configNotification: ConfigNotification = {
  accountId: exampleIds.account,
  propertyId: exampleIds.property,
};

const messages: Readonly<Record<QueueName, object>> = {
  purge: purgeMessage,
  catchUp: catchUpMessage,
  invalidation: invalidationMessage,
  configNotification,
};

/** A message as the queue hands it to the function that consumes it. */
export function messageEvent(queue: QueueName): object {
  const record = {
    messageId: eventId,
    receiptHandle: 'handle',
    body: JSON.stringify(messages[queue]),
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '1700000000000',
      SenderId: awsAccountId,
      ApproximateFirstReceiveTimestamp: '1700000000000',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:${region}:${awsAccountId}:${physicalQueueName(stack, queue)}`,
    awsRegion: region,
  };
  return { Records: [record] };
}

/** What the schedule of every minute gives a function. */
export function scheduledEvent(name: string): object {
  return {
    version: '0',
    id: eventId,
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: awsAccountId,
    time: exampleTime,
    region,
    resources: [`arn:aws:events:${region}:${awsAccountId}:rule/${stack}-${name}`],
    detail: {},
  };
}
