import type { Server } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildApp } from 'fauxqs';
import { queueArn, queueUrl } from '../identities.ts';
import { loopback } from '../listen.ts';
import type { Template } from '../template.ts';

/** The parts of fauxqs that its package does not export but that persistence needs. */
interface FauxqsQueue {
  persistence: unknown;
  setAttributes(attributes: Record<string, string>): void;
}
interface FauxqsSqsStore {
  persistence: unknown;
  allQueues(): Iterable<FauxqsQueue>;
  getQueueByArn(arn: string): FauxqsQueue | undefined;
  createQueue(name: string, url: string, arn: string, attributes: Record<string, string>): FauxqsQueue;
}
interface FauxqsPersistence {
  readonly db: { exec(sql: string): void };
  loadSqsAndSns(sqsStore: object, snsStore: object): void;
  close(): void;
}
type New<Instance, Arguments extends unknown[] = []> = new (...parameters: Arguments) => Instance;

const distribution = dirname(fileURLToPath(import.meta.resolve('fauxqs')));

/** No consumer can be at work yet, so that what an earlier run had in hand is to be handed out again at once. */
const releaseInFlight = 'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL';

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
export async function startQueues(template: Template, directory: string, port = 0): Promise<LocalQueues> {
  const [SqsStore, SnsStore, S3Store, PersistenceManager] = await Promise.all([
    internal<New<FauxqsSqsStore>>('sqs/sqsStore.js', 'SqsStore'),
    internal<New<{ persistence: unknown }>>('sns/snsStore.js', 'SnsStore'),
    internal<New<object>>('s3/s3Store.js', 'S3Store'),
    internal<New<FauxqsPersistence, [string]>>('persistence.js', 'PersistenceManager'),
  ]);
  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  const persistence = new PersistenceManager(directory);
  persistence.db.exec(releaseInFlight);
  persistence.loadSqsAndSns(stores.sqsStore, stores.snsStore);
  stores.sqsStore.persistence = persistence;
  for (const queue of stores.sqsStore.allQueues()) queue.persistence = persistence;
  makeQueues(template, stores.sqsStore);
  const app = buildApp({ logger: false, stores: stores as never });
  const endpoint = await app.listen({ port, host: loopback });
  return {
    endpoint,
    stop: async () => {
      (app.server as Server).closeAllConnections();
      await app.close();
      persistence.close();
    },
  };
}

async function internal<Class>(file: string, name: string): Promise<Class> {
  const module = (await import(pathToFileURL(join(distribution, file)).href)) as Record<string, Class>;
  const found = module[name];
  if (!found) throw new Error(`fauxqs has no ${name} in ${file}`);
  return found;
}

function makeQueues(template: Template, store: FauxqsSqsStore): void {
  for (const [, { Properties }] of template.ofType('AWS::SQS::Queue')) {
    const properties = template.resolve(Properties) as QueueProperties;
    const { QueueName: name } = properties;
    const attributes = attributesOf(properties);
    const existing = store.getQueueByArn(queueArn(name));
    if (existing) existing.setAttributes(attributes);
    else store.createQueue(name, queueUrl(name), queueArn(name), attributes);
  }
}

function attributesOf({ VisibilityTimeout, MessageRetentionPeriod, RedrivePolicy }: QueueProperties) {
  return {
    ...(VisibilityTimeout && { VisibilityTimeout: String(VisibilityTimeout) }),
    ...(MessageRetentionPeriod && { MessageRetentionPeriod: String(MessageRetentionPeriod) }),
    ...(RedrivePolicy && { RedrivePolicy: JSON.stringify(RedrivePolicy) }),
  };
}
