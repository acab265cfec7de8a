import { Pool } from 'undici';
import { purgeKeys } from './cache-keys.ts';
import { EdgeFailure, type EdgeFailureKind, type EdgePurge, type EdgePurged } from './driver.ts';
import type { Edge } from './edge.ts';
import { batchKeys, headers, type PurgeCommand, type PurgeMode, sign } from './purge-protocol.ts';

const connectMilliseconds = 300;
const totalMilliseconds = 1_000;
/** Requests to one edge at a time; what waits for its turn does not count against its time. */
const concurrency = 16;
const kinds: Readonly<Record<number, EdgeFailureKind>> = { 400: 'refused', 401: 'denied', 403: 'denied' };

const pools = new Map<string, Pool>();

const poolOf = (url: string): Pool => {
  const known = pools.get(url);
  if (known) return known;
  const pool = new Pool(url, {
    connections: concurrency,
    connect: { timeout: connectMilliseconds },
  });
  pools.set(url, pool);
  return pool;
};

const reasons: Readonly<Record<number, string>> = {
  400: 'the edge did not understand the purge (400)',
  401: 'the edge refused the signature (401): is the secret the same on both sides, and are the clocks right?',
  403: 'the edge refused this address (403): is it on its access list?',
};

const failureOf = (status: number): EdgeFailure =>
  new EdgeFailure(kinds[status] ?? 'unreachable', reasons[status] ?? `the edge answered ${status}`);

const isPurged = (body: unknown): body is { readonly removed: number } =>
  typeof body === 'object' && body !== null && Number.isInteger(Reflect.get(body, 'removed'));

interface Ask {
  readonly mode: PurgeMode;
  readonly keys: string;
  readonly limitMilliseconds: number;
}

const send = async (edge: Edge, secret: string, { mode, keys, limitMilliseconds }: Ask): Promise<number> => {
  const command: PurgeCommand = { time: Math.floor(Date.now() / 1000), mode, keys };
  const { statusCode, body } = await poolOf(edge.url).request({
    method: 'PURGE',
    path: '/',
    headers: {
      [headers.time]: String(command.time),
      [headers.mode]: mode,
      [headers.keys]: keys,
      [headers.signature]: sign(secret, command),
    },
    headersTimeout: limitMilliseconds,
    bodyTimeout: limitMilliseconds,
    signal: AbortSignal.timeout(limitMilliseconds),
  });
  if (statusCode !== 200) {
    await body.dump();
    throw failureOf(statusCode);
  }
  const answer: unknown = await body.json();
  if (!isPurged(answer))
    throw new EdgeFailure('unreachable', 'the edge’s answer is not of the purge protocol');
  return answer.removed;
};

const describe = (error: unknown, limitMilliseconds: number): string => {
  if (!(error instanceof Error)) return 'unknown fault';
  const code: unknown = Reflect.get(error, 'code');
  if (error.name === 'TimeoutError') return `no answer within ${limitMilliseconds} ms`;
  return typeof code === 'string' ? code : error.name;
};

const ask = async (edge: Edge, question: Ask): Promise<number> => {
  if (edge.secret === undefined)
    throw new EdgeFailure('unreachable', 'the edge’s secret cannot be decrypted');
  try {
    return await send(edge, edge.secret, question);
  } catch (error) {
    if (error instanceof EdgeFailure) throw error;
    throw new EdgeFailure(
      'unreachable',
      `the edge cannot be reached: ${describe(error, question.limitMilliseconds)}`,
    );
  }
};

const batches = new WeakMap<EdgePurge, readonly string[]>();

/** Made once for all edges that a purge goes to. */
const batchesOf = (purge: EdgePurge): readonly string[] => {
  const known = batches.get(purge);
  if (known) return known;
  const made = batchKeys(purgeKeys(purge));
  batches.set(purge, made);
  return made;
};

/** Sends a purge by the signed purge protocol, in as many requests as its keys need. Throws as EdgeDriver does. */
export const sendPurge = async (
  edge: Edge,
  purge: EdgePurge,
  limitMilliseconds = totalMilliseconds,
): Promise<EdgePurged> => {
  const mode = purge.soft ? 'soft' : 'hard';
  const waiting = [...batchesOf(purge)];
  let removed = 0;
  const inTurn = async (): Promise<void> => {
    for (let keys = waiting.shift(); keys !== undefined; keys = waiting.shift()) {
      const count = await ask(edge, { mode, keys, limitMilliseconds }).catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      });
      removed += count;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, waiting.length) }, inTurn));
  return { removed };
};

/** Asks by the same protocol whether the edge would obey. Throws as EdgeDriver does. */
export const sendCheck = async (edge: Edge, limitMilliseconds = totalMilliseconds): Promise<void> => {
  await ask(edge, { mode: 'check', keys: '', limitMilliseconds });
};
