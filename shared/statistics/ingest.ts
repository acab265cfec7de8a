import { createHash } from 'node:crypto';
import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';
import { ownersOf } from '../property/hostname-table.ts';
import { countPart } from './counters.ts';
import { type CountedPart, countedParts, countOnce, type FirstPart } from './log-batch-table.ts';
import { type LineError, parseLog } from './parse-log.ts';
import { planBatch } from './plan.ts';

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

type Counted = Map<number, CountedPart>;

/**
 * Counts a batch exactly once, however often and by however many it is sent. Each part of it is counted in one
 * transaction with the note that it is; a retry counts what an interrupted try has left.
 * @throws ApiError `conflict` when the key was used with another body
 */
export async function ingest(batch: LogBatch, now: Date): Promise<LogReceipt> {
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
    const isAll = await countMissing(id, batch, bodyHash, counted, now);
    const first = counted.get(0);
    if (isAll && isFirst(first)) return receiptOf(first, counted.values(), duplicate);
    // Whoever counts the first part has come first, however many then help with the others.
    duplicate ||= !counted.has(0);
  }
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}

function batchOf({ edgeId, idempotencyKey }: LogBatch, bodyHash: string): string {
  return idempotencyKey === undefined
    ? `${edgeId}#body#${bodyHash}`
    : `${edgeId}#key#${hash(idempotencyKey)}`;
}

function isFirst(part: (CountedPart & Partial<FirstPart>) | undefined): part is FirstPart {
  return part?.bodyHash !== undefined;
}

function requireSameBody(first: FirstPart, bodyHash: string): void {
  if (first.bodyHash === bodyHash) return;
  throw new ApiError('conflict', messages.keyReused);
}

function receiptOf(first: FirstPart, counted: Iterable<CountedPart>, duplicate: boolean): LogReceipt {
  let accepted = 0;
  let unknownHost = 0;
  for (const part of counted) {
    accepted += part.accepted;
    unknownHost += part.unknownHost;
  }
  return { accepted, rejected: first.rejected, unknownHost, duplicate, errors: [...first.errors] };
}

/** Counts the parts that are not counted yet. @returns false where another request counts one at the same moment */
async function countMissing(
  id: string,
  { edgeId, text }: LogBatch,
  bodyHash: string,
  counted: Counted,
  now: Date,
): Promise<boolean> {
  const known = counted.get(0);
  const earlier = isFirst(known) ? known : undefined;
  const receivedAt = earlier?.receivedAt ?? now.getTime();
  const log = parseLog(text.toString('utf8'), new Date(receivedAt));
  const owners = await ownersOf([...log.hosts.keys()]);
  const { parts, hosts, dropped } = planBatch(log, owners, earlier);
  const { rejected, errors } = log;
  const whole = { bodyHash, receivedAt, parts: parts.length, hosts, rejected, errors };
  for (const [number, part] of parts.entries()) {
    if (counted.has(number)) continue;
    const { counters, accepted, unknownHost } = countPart(edgeId, part, owners);
    const share: CountedPart =
      number === 0 ? { ...whole, accepted, unknownHost: unknownHost + dropped } : { accepted, unknownHost };
    if (!(await countOnce(id, number, share, counters, now))) return false;
    counted.set(number, share);
  }
  return true;
}
