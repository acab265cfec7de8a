import { inParallel } from '../parallel.ts';
import { purgeKeys } from './cache-keys.ts';
import { EdgeFailure, type EdgeFailureKind, type EdgePurge, type EdgePurged } from './driver.ts';
import type { Edge } from './edge.ts';
import { concurrency, exchange } from './exchange.ts';
import { batchKeys, headers, type PurgeCommand, type PurgeMode, sign } from './purge-protocol.ts';

const totalMilliseconds = 1_000;
/** For all requests of one purge. */
const longestMilliseconds = 10_000;
const kinds: Readonly<Record<number, EdgeFailureKind>> = { 400: 'refused', 401: 'denied', 403: 'denied' };

const reasons: Readonly<Record<number, string>> = {
  400: 'the edge did not understand the purge (400)',
  401: 'the edge refused the signature (401): is the secret the same on both sides, and are the clocks right?',
  403: 'the edge refused this address (403): is it on its access list?',
};

const failureOf = (status: number): EdgeFailure =>
  new EdgeFailure(kinds[status] ?? 'unreachable', reasons[status] ?? `the edge answered ${status}`);

const isPurged = (answer: unknown): answer is { readonly removed: number } =>
  typeof answer === 'object' && answer !== null && Number.isInteger(Reflect.get(answer, 'removed'));

const removedIn = (body: string): number => {
  try {
    const answer: unknown = JSON.parse(body);
    if (isPurged(answer)) return answer.removed;
  } catch {
    // Not JSON is as little of the protocol as JSON of another shape.
  }
  throw new EdgeFailure('unreachable', 'the edge’s answer is not of the purge protocol');
};

interface Ask {
  readonly mode: PurgeMode;
  readonly keys: string;
  readonly limitMilliseconds: number;
}

const signed = (secret: string, { mode, keys }: Ask): Record<string, string> => {
  const command: PurgeCommand = { time: Math.floor(Date.now() / 1000), mode, keys };
  return {
    [headers.time]: String(command.time),
    [headers.mode]: mode,
    [headers.keys]: keys,
    [headers.signature]: sign(secret, command),
  };
};

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown fault';
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : error.message;
};

const unreachable = (error: unknown): EdgeFailure =>
  new EdgeFailure('unreachable', `the edge cannot be reached: ${describe(error)}`);

const ask = async ({ url, secret }: Edge, question: Ask): Promise<number> => {
  if (secret === undefined) throw new EdgeFailure('unreachable', 'the edge’s secret cannot be decrypted');
  const request = { method: 'PURGE', path: '/', headers: signed(secret, question) } as const;
  const { status, body } = await exchange(url, request, question.limitMilliseconds).catch(
    (error: unknown) => {
      throw unreachable(error);
    },
  );
  if (status !== 200) throw failureOf(status);
  return removedIn(body);
};

const knownBatches = new WeakMap<EdgePurge, readonly string[]>();

/** Made once for all edges that a purge goes to. */
const batchesOf = (purge: EdgePurge): readonly string[] => {
  const known = knownBatches.get(purge);
  if (known) return known;
  const made = batchKeys(purgeKeys(purge));
  knownBatches.set(purge, made);
  return made;
};

/** Sends a purge by the signed purge protocol, in as many requests as its keys need. Throws as EdgeDriver does. */
export const sendPurge = async (
  edge: Edge,
  purge: EdgePurge,
  limitMilliseconds = totalMilliseconds,
): Promise<EdgePurged> => {
  const mode = purge.soft ? 'soft' : 'hard';
  const batches = batchesOf(purge);
  const deadline = performance.now() + longestMilliseconds;
  const send = (keys: string): Promise<number> => {
    if (performance.now() > deadline) {
      throw new EdgeFailure(
        'unreachable',
        `the edge takes more than ${longestMilliseconds} ms for the purge`,
      );
    }
    return ask(edge, { mode, keys, limitMilliseconds });
  };
  const [only, ...others] = batches;
  // Nearly every purge is one request, and is made for every edge.
  if (only !== undefined && others.length === 0) return { removed: await send(only) };
  const removed = await inParallel(batches, concurrency, send);
  return { removed: removed.reduce((sum, count) => sum + count, 0) };
};

/** Asks by the same protocol whether the edge would obey. Throws as EdgeDriver does. */
export const sendCheck = async (edge: Edge, limitMilliseconds = totalMilliseconds): Promise<void> => {
  await ask(edge, { mode: 'check', keys: '', limitMilliseconds });
};
