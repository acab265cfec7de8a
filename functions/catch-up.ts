import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { retryLater } from '../shared/aws/retry-later.ts';
import { catchUp, catchUpTouches } from '../shared/catch-up/catch-up.ts';
import { CatchUpMessage, retryCatchUpTouches } from '../shared/catch-up/catch-up-queue.ts';
import type { FunctionDeclaration } from '../shared/ground/function.ts';
import { log } from '../shared/ground/log.ts';
import { touching } from '../shared/ground/touches.ts';
import { writeCompletionTimes } from '../shared/purge/completion-times.ts';

const timeoutSeconds = 60;
/** What is started may still ask a shield and then the edges below it, each for 15 seconds. */
const reserveSeconds = 35;

export const declaration: FunctionDeclaration = {
  timeoutSeconds,
  touches: touching(catchUpTouches, retryCatchUpTouches),
  consumes: 'catchUp',
  reachesEdges: true,
};

/** Each edge on its own: one that is away holds up no other. */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const until = Date.now() + (timeoutSeconds - reserveSeconds) * 1000;
  const done = await Promise.all(Records.map((record) => handle(record, until)));
  writeCompletionTimes();
  return {
    batchItemFailures: Records.filter((_, index) => !done[index]).map(({ messageId }) => ({
      itemIdentifier: messageId,
    })),
  };
}

/** @returns whether the message is done with */
async function handle(record: SQSRecord, until: number): Promise<boolean> {
  try {
    const { edgeId } = CatchUpMessage.parse(JSON.parse(record.body));
    await catchUp(edgeId, record.messageId, until);
    return true;
  } catch (error) {
    log('error', 'edge not caught up', { messageId: record.messageId, error });
    await retryLater('catchUp', record);
    return false;
  }
}
