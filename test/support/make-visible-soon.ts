import { ChangeMessageVisibilityBatchCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { queueUrl } from '../../infra/local/template/identities.ts';
import { sqs } from '../../shared/aws/sqs.ts';

const mostEntries = 10;

/** In the place of the minutes after which the queue would hand a dead function's messages out again. */
export async function makeVisibleSoon(event: unknown): Promise<void> {
  const { Records = [] } = event as Partial<SQSEvent>;
  const entries = Records.map(({ receiptHandle }, index) => ({
    Id: String(index),
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: 1,
  }));
  const name = Records[0]?.eventSourceARN.split(':').at(-1) ?? '';
  for (let from = 0; from < entries.length; from += mostEntries)
    await sqs().send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: queueUrl(name),
        Entries: entries.slice(from, from + mostEntries),
      }),
    );
}
