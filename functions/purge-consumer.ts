import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Edge } from '../shared/edge/edge.ts';
import { listEdges } from '../shared/edge/edge-table.ts';
import type { FunctionDeclaration } from '../shared/function.ts';
import { deliver } from '../shared/purge/deliver.ts';
import { PurgeMessage, retryMessage } from '../shared/purge/purge-queue.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 30,
  touches: {
    tables: { edges: ['Query'], purges: ['PutItem', 'UpdateItem'] },
    queues: { purge: ['SendMessage', 'ChangeMessageVisibility'] },
    keys: { edgeSecrets: ['Decrypt'] },
  },
  consumes: 'purge',
  reachesEdges: true,
};

const longestDelaySeconds = 120;

/** A message that can never be read goes to the dead-letter queue soon; what may pass is given time. */
const delaySecondsAfter = (isReadable: boolean, receiveCount: number): number =>
  isReadable ? Math.min(2 ** (receiveCount - 1), longestDelaySeconds) : 1;

const parse = (body: string): PurgeMessage | undefined => {
  try {
    return PurgeMessage.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
};

const log = (messageId: string, error: unknown): void => {
  console.error(
    JSON.stringify({ level: 'error', messageId, message: 'purge not delivered', error: String(error) }),
  );
};

const putOff = async (record: SQSRecord, isReadable: boolean, error: unknown): Promise<void> => {
  log(record.messageId, error);
  const receiveCount = Number(record.attributes.ApproximateReceiveCount);
  await retryMessage(record.receiptHandle, delaySecondsAfter(isReadable, receiveCount)).catch(
    (failure: unknown) => log(record.messageId, failure),
  );
};

/** @returns whether the message is done with */
const handle = async (record: SQSRecord, edges: Promise<readonly Edge[]>): Promise<boolean> => {
  const message = parse(record.body);
  try {
    if (!message) throw new Error('the message cannot be read');
    await deliver(message, await edges);
    return true;
  } catch (error) {
    await putOff(record, message !== undefined, error);
    return false;
  }
};

/** Each message on its own: one that fails takes no other with it. */
export const handler = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
  const edges = listEdges();
  const done = await Promise.all(Records.map((record) => handle(record, edges)));
  return {
    batchItemFailures: Records.filter((_, index) => !done[index]).map(({ messageId }) => ({
      itemIdentifier: messageId,
    })),
  };
};
