import { createHash } from 'node:crypto';
import { ApiError } from '../http/api-error.ts';
import { ownersOf } from '../property/hostname-table.ts';
import { countPart } from './counters.ts';
import { type CountedPart, countedParts, countOnce, type FirstPart } from './log-batch-table.ts';
import { divideLog } from './log-parts.ts';
import { type LineError, parseLog } from './parse-log.ts';

/** Lines as an edge sends them. */
export interface LogBatch {
  readonly edgeId: string;
  readonly text: Buffer;
  readonly idempotencyKey: string | undefined;
}

export interface LogReceipt {
  readonly accepted: number;
  readonly rejected: number;
  readonly unknownHost: number;
  readonly duplicate: boolean;
  readonly errors: LineError[];
}

const hash = (content: string | Buffer): string => createHash('sha256').update(content).digest('base64url');

const batchOf = ({ edgeId, idempotencyKey }: LogBatch, bodyHash: string): string =>
  idempotencyKey === undefined ? `${edgeId}#body#${bodyHash}` : `${edgeId}#key#${hash(idempotencyKey)}`;

const isFirst = (part: (CountedPart & Partial<FirstPart>) | undefined): part is FirstPart =>
  part?.bodyHash !== undefined;

const receiptOf = (first: FirstPart, counted: Iterable<CountedPart>, duplicate: boolean): LogReceipt => {
  let accepted = 0;
  let unknownHost = 0;
  for (const part of counted) {
    accepted += part.accepted;
    unknownHost += part.unknownHost;
  }
  return { accepted, rejected: first.rejected, unknownHost, duplicate, errors: [...first.errors] };
};

type Counted = Map<number, CountedPart>;

/** Counts the parts that are not counted yet; one that somebody else counts at the same moment is theirs. */
const countMissing = async (
  batch: string,
  { edgeId, text }: LogBatch,
  bodyHash: string,
  counted: Counted,
  receivedAt: Date,
): Promise<'all' | 'overtaken'> => {
  const log = parseLog(text.toString('utf8'), receivedAt);
  const parts = divideLog(log);
  const owners = await ownersOf([...log.hosts.keys()]);
  for (const [number, part] of parts.entries()) {
    if (counted.has(number)) continue;
    const { counters, accepted, unknownHost } = countPart(edgeId, part, owners);
    const { rejected, errors, unnamed } = log;
    const first = { bodyHash, receivedAt: receivedAt.getTime(), parts: parts.length, rejected, errors };
    const share =
      number === 0 ? { accepted, unknownHost: unknownHost + unnamed, ...first } : { accepted, unknownHost };
    if (!(await countOnce(batch, number, share, counters, receivedAt))) return 'overtaken';
    counted.set(number, share);
  }
  return 'all';
};

const requireSameBody = (first: FirstPart, bodyHash: string): void => {
  if (first.bodyHash === bodyHash) return;
  throw new ApiError('conflict', 'This Idempotency-Key was used with another body. Choose a new key.');
};

/**
 * Counts a batch exactly once, however often and by however many it is sent. Each part of it is counted in one
 * transaction with the note that it is; a retry counts what an interrupted try has left.
 * @throws ApiError `conflict` when the key was used with another body
 */
export const ingest = async (batch: LogBatch, now: Date): Promise<LogReceipt> => {
  const bodyHash = hash(batch.text);
  const id = batchOf(batch, bodyHash);
  let duplicate: boolean | undefined;
  for (;;) {
    const counted: Counted = new Map(await countedParts(id));
    const known = counted.get(0);
    duplicate ??= known !== undefined;
    if (isFirst(known)) {
      requireSameBody(known, bodyHash);
      if (counted.size === known.parts) return receiptOf(known, counted.values(), duplicate);
    }
    const receivedAt = isFirst(known) ? new Date(known.receivedAt) : now;
    const outcome = await countMissing(id, batch, bodyHash, counted, receivedAt);
    const first = counted.get(0);
    if (outcome === 'all' && isFirst(first)) return receiptOf(first, counted.values(), duplicate);
    duplicate = true;
  }
};
