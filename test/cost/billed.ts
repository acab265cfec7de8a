import type { AwsCall } from '../support/aws-calls.ts';

/** SQS bills each such part of a payload as a request. */
const sqsChunkBytes = 64 * 1024;
/** SQS takes and gives so many messages at a time. */
const messagesOfRequest = 10;

/** A write that its condition refuses is billed too, and the response does not say so. */
export function writeUnitsOf({ operation, writeUnits }: AwsCall): number {
  const isWrite = /^dynamodb:(Put|Update|Delete|Transact|BatchWrite)/.test(operation);
  return isWrite ? Math.max(writeUnits, 1) : 0;
}

export function sqsRequestsOf({ operation, requestBytes }: AwsCall): number {
  return operation.startsWith('sqs:') ? chunksOf(requestBytes) : 0;
}

/** What an event source asks of SQS for one event: to receive its messages and to delete them, ten at a time. */
export function eventSourceRequests(bodies: readonly string[]): number {
  if (bodies.length === 0) return 0;
  const requests = Math.ceil(bodies.length / messagesOfRequest);
  return Math.max(requests, chunksOf(Buffer.byteLength(bodies.join('')))) + requests;
}

function chunksOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / sqsChunkBytes));
}
