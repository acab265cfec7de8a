import { createHash } from 'node:crypto';
import { scopeOf } from '../edge/registry-table.ts';
import { type EdgeScope, isInScope } from '../edge/scope.ts';
import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';
import { touching } from '../ground/touches.ts';
import { ownersOf, ownersOfTouches } from '../property/hostname-table.ts';
import type { PropertyOwner } from '../property/property-owner.ts';
import { planChunks } from './chunk-plan.ts';
import {
  type CountedChunk,
  countedChunks,
  countOnce,
  type FirstChunk,
  logBatchTouches,
} from './log-batch-table.ts';
import type { LogReceipt } from './log-receipt.ts';
import type { LogRequest } from './log-request.ts';
import { parseLog } from './parse-log.ts';
import { rollUp } from './rollup.ts';

/** Lines as an edge sends them. */
interface LogBatch extends LogRequest {
  readonly edge: Partial<EdgeScope> & { readonly id: string };
}

export const ingestTouches = touching(logBatchTouches, ownersOfTouches);

/**
 * Counts a batch exactly once, however often and by however many it is sent. Each chunk of it is counted in one
 * transaction with the note that it is; a retry counts what an interrupted try has left.
 * @throws ApiError `conflict` when the key was used with another body
 */
export async function ingest(batch: LogBatch, now: Date): Promise<LogReceipt> {
  const bodyHash = hash(batch.text);
  const id = batchIdOf(batch, bodyHash);
  let duplicate: boolean | undefined;
  for (;;) {
    const counted = await countedChunks(id);
    const known = counted.get(0);
    duplicate ??= known !== undefined;
    if (isFirst(known)) {
      requireSameBody(known, bodyHash);
      if (counted.size === known.chunks) return receiptOf(known, counted.values(), duplicate);
    }
    const isAll = await countMissing(id, batch, bodyHash, counted, now);
    const first = counted.get(0);
    if (isAll && isFirst(first)) return receiptOf(first, counted.values(), duplicate);
    // Whoever counts the first chunk has come first, however many then help with the others.
    duplicate ||= !counted.has(0);
  }
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}

function batchIdOf({ edge: { id: edgeId }, idempotencyKey }: LogBatch, bodyHash: string): string {
  return idempotencyKey === undefined
    ? `${edgeId}#body#${bodyHash}`
    : `${edgeId}#key#${hash(idempotencyKey)}`;
}

function isFirst(chunk: CountedChunk | undefined): chunk is FirstChunk {
  return chunk?.bodyHash !== undefined;
}

function requireSameBody(first: FirstChunk, bodyHash: string): void {
  if (first.bodyHash === bodyHash) return;
  throw new ApiError('conflict', messages.keyReused);
}

function receiptOf(first: FirstChunk, counted: Iterable<CountedChunk>, duplicate: boolean): LogReceipt {
  let accepted = 0;
  let unknownHost = 0;
  for (const chunk of counted) {
    accepted += chunk.accepted;
    unknownHost += chunk.unknownHost;
  }
  return { accepted, rejected: first.rejected, unknownHost, duplicate, errors: [...first.errors] };
}

/** Counts the chunks that are not counted yet. @returns false where another request counts one at the same moment */
async function countMissing(
  id: string,
  { edge, text }: LogBatch,
  bodyHash: string,
  counted: Map<number, CountedChunk>,
  now: Date,
): Promise<boolean> {
  const known = counted.get(0);
  const earlier = isFirst(known) ? known : undefined;
  const receivedAt = earlier?.receivedAt ?? now.getTime();
  const log = parseLog(text.toString('utf8'), new Date(receivedAt));
  const owners = inScope(await ownersOf([...log.hosts.keys()]), scopeOf(edge));
  const { chunks, hosts, dropped } = planChunks(log, owners, earlier);
  const { rejected, errors } = log;
  const whole = { bodyHash, receivedAt, chunks: chunks.length, hosts, rejected, errors };
  for (const [number, chunk] of chunks.entries()) {
    if (counted.has(number)) continue;
    const { increments, counted: lines } = rollUp(edge.id, chunk, owners);
    const note: CountedChunk =
      number === 0 ? { ...whole, ...lines, unknownHost: lines.unknownHost + dropped } : lines;
    if (!(await countOnce(id, number, note, increments, now))) return false;
    counted.set(number, note);
  }
  return true;
}

/** An edge says nothing of hosts that are not its own. */
function inScope(
  owners: ReadonlyMap<string, PropertyOwner>,
  scope: EdgeScope,
): ReadonlyMap<string, PropertyOwner> {
  return new Map([...owners].filter(([, owner]) => isInScope(scope, owner)));
}
