import { channel } from 'node:diagnostics_channel';
import type { ListenOptions } from 'node:net';
import { ChangeMessageVisibilityCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { loopback } from '../host/listen.ts';
import { queueUrl } from '../template/identities.ts';
import { region, type Template } from '../template/template.ts';

interface QueueProperties {
  readonly QueueName: string;
  readonly VisibilityTimeout?: number;
  readonly MessageRetentionPeriod?: number;
  readonly RedrivePolicy?: { readonly deadLetterTargetArn: string; readonly maxReceiveCount: number };
}

export interface LocalQueues {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Starts the queues of the template on the loopback address, every message kept on disk. */
export async function startQueues(template: Template, directory: string): Promise<LocalQueues> {
  const server = await startOnLoopback(directory);
  const endpoint = `http://${loopback}:${server.port}`;
  const client = sqsClient(endpoint);
  try {
    for (const [, { Properties }] of template.ofType('AWS::SQS::Queue'))
      await makeQueue(server, client, template.resolve(Properties) as QueueProperties);
  } finally {
    client.destroy();
  }
  return { endpoint, stop: () => server.stop() };
}

/** The SDK's client for the queues here: their URLs carry no port. */
export function sqsClient(endpoint: string, requestTimeout?: number): SQSClient {
  return new SQSClient({
    endpoint,
    region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
    requestHandler: { requestTimeout },
  });
}

/**
 * fauxqs listens on every address of the machine and has no option for it. Node tells of a server's options before it
 * listens, so that the address can be put right.
 */
async function startOnLoopback(directory: string): Promise<FauxqsServer> {
  const listening = channel('tracing:net.server.listen:asyncStart');
  const narrow = (message: unknown): void => {
    const { options } = message as { options: ListenOptions };
    if (options.host === '0.0.0.0') options.host = loopback;
  };
  listening.subscribe(narrow);
  try {
    const server = await startFauxqs({ port: 0, logger: false, dataDir: directory });
    if (new URL(server.address).hostname === loopback) return server;
    await server.stop();
    throw new Error(`they listen on ${server.address}`);
  } finally {
    listening.unsubscribe(narrow);
  }
}

async function makeQueue(
  server: FauxqsServer,
  client: SQSClient,
  properties: QueueProperties,
): Promise<void> {
  const { QueueName: name } = properties;
  const attributes = attributesOf(properties);
  const existing = server.inspectQueue(name);
  if (!existing) {
    server.createQueue(name, { region, attributes });
    return;
  }
  const QueueUrl = queueUrl(name);
  await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: attributes }));
  // No consumer can be at work yet: what an earlier run had in hand is to be handed out again at once. Not with 0,
  // after which fauxqs would hide the message.
  for (const { receiptHandle: ReceiptHandle } of existing.messages.inflight)
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 1 }));
}

function attributesOf({ VisibilityTimeout, MessageRetentionPeriod, RedrivePolicy }: QueueProperties) {
  return {
    ...(VisibilityTimeout && { VisibilityTimeout: String(VisibilityTimeout) }),
    ...(MessageRetentionPeriod && { MessageRetentionPeriod: String(MessageRetentionPeriod) }),
    ...(RedrivePolicy && { RedrivePolicy: JSON.stringify(RedrivePolicy) }),
  };
}
