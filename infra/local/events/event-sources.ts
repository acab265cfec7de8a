import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { messageOf } from '../../../shared/ground/message-of.ts';
import { sqsClient } from '../aws/sqs.ts';
import type { FunctionPool } from '../lambda/function-pool.ts';
import { queueUrl } from '../template/identities.ts';
import { region, type Template } from '../template/template.ts';

const longestPollers = 5;
const longestWaitSeconds = 20;
/** SQS takes and gives so many messages at a time. */
const mostReceived = 10;
const retryMilliseconds = 500;

interface Mapping {
  readonly queueArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  readonly windowMilliseconds: number;
  readonly pollers: number;
}

const BatchResponse = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() })
  .nullish();

/** Hands the queues' messages to the functions that the template maps them to. */
export class EventSources {
  private readonly client: SQSClient;
  private readonly functions: FunctionPool;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>[];

  constructor(template: Template, functions: FunctionPool, endpoint: string) {
    this.functions = functions;
    this.client = sqsClient(endpoint, (longestWaitSeconds + 10) * 1000);
    this.running = mappingsOf(template).flatMap((mapping) =>
      Array.from({ length: mapping.pollers }, () => this.poll(mapping)),
    );
  }

  /** Takes no more messages and waits for those in hand. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
    this.client.destroy();
  }

  private async poll(mapping: Mapping): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        const messages = await this.receive(mapping);
        if (messages.length > 0) await this.hand(mapping, messages);
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        console.error(`messages of ${mapping.queueArn} could not be handled:`, messageOf(error));
        await sleep(retryMilliseconds);
      }
    }
  }

  /** As many messages as come before the batch is full, or the window since the first of them is over. */
  private async receive({ queueArn, batchSize, windowMilliseconds }: Mapping): Promise<readonly Message[]> {
    const messages = await this.receiveSome(queueArn, batchSize, longestWaitSeconds);
    const until = Date.now() + windowMilliseconds;
    while (messages.length > 0 && messages.length < batchSize && Date.now() < until) {
      const more = await this.receiveSome(queueArn, batchSize - messages.length, 1).catch(() => undefined);
      // What was received is in nobody else's hand.
      if (!more) return messages;
      messages.push(...more);
    }
    return messages;
  }

  private async receiveSome(queueArn: string, count: number, waitSeconds: number): Promise<Message[]> {
    const { Messages = [] } = await this.client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl(queueArn.split(':').at(-1) ?? ''),
        MaxNumberOfMessages: Math.min(count, mostReceived),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
      { abortSignal: this.stopping.signal },
    );
    return Messages;
  }

  private async hand({ queueArn, functionName }: Mapping, messages: readonly Message[]): Promise<void> {
    const Records = messages.map((message) => recordOf(message, queueArn));
    const response = BatchResponse.parse(await this.functions.invoke(functionName, { Records }));
    const failed = new Set(response?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier));
    const done = messages.filter(({ MessageId }) => !failed.has(MessageId ?? ''));
    for (let from = 0; from < done.length; from += mostReceived)
      await this.delete(queueArn, done.slice(from, from + mostReceived));
  }

  private async delete(queueArn: string, messages: readonly Message[]): Promise<void> {
    await this.client.send(
      new DeleteMessageBatchCommand({
        QueueUrl: queueUrl(queueArn.split(':').at(-1) ?? ''),
        Entries: messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
      }),
    );
  }
}

function mappingsOf(template: Template): readonly Mapping[] {
  return template.ofType('AWS::Lambda::EventSourceMapping').map(([id, { Properties }]) => {
    const { FunctionResponseTypes, ScalingConfig } = Properties as {
      FunctionResponseTypes?: string[];
      ScalingConfig?: { MaximumConcurrency?: number };
    };
    if (!FunctionResponseTypes?.includes('ReportBatchItemFailures')) {
      throw new Error(
        `The local run knows event sources that report failures by message only, and ${id} does not`,
      );
    }
    return {
      queueArn: template.resolveText(Properties.EventSourceArn),
      functionName: template.resolveText(Properties.FunctionName),
      batchSize: Number(Properties.BatchSize ?? 10),
      windowMilliseconds: Number(Properties.MaximumBatchingWindowInSeconds ?? 0) * 1000,
      pollers: Math.min(ScalingConfig?.MaximumConcurrency ?? longestPollers, longestPollers),
    };
  });
}

function recordOf(message: Message, eventSourceARN: string) {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes,
    messageAttributes: message.MessageAttributes ?? {},
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: region,
  };
}
