import { EdgeFailure, type EdgeFailureKind } from './driver.ts';
import type { Edge } from './edge.ts';
import { sendRequest } from './http-client.ts';
import { notOnAccessList, secretUnreadable } from './lagging.ts';
import { headers, type PurgeCommand, sign } from './purge-protocol.ts';

const kinds: Readonly<Record<number, EdgeFailureKind>> = { 400: 'refused', 401: 'denied', 403: 'denied' };

const reasons: Readonly<Record<number, string>> = {
  400: 'the edge did not understand the purge (400)',
  401: 'the edge refused the signature (401): is the secret the same on both sides, and are the clocks right?',
  403: notOnAccessList,
};

interface EdgeRequest extends Pick<PurgeCommand, 'mode' | 'keys'> {
  readonly limitMilliseconds: number;
}

/**
 * Sends one request of the signed purge protocol. Throws EdgeFailure.
 * @returns how many objects the edge removed
 */
export async function askEdge({ url, secret }: Edge, question: EdgeRequest): Promise<number> {
  if (secret === undefined) throw new EdgeFailure('unreachable', secretUnreadable);
  const request = { method: 'PURGE', path: '/', headers: signed(secret, question) } as const;
  const { status, body } = await sendRequest(url, request, question.limitMilliseconds).catch(
    (error: unknown) => {
      throw unreachable(error);
    },
  );
  if (status !== 200) throw failureOf(status);
  return removedIn(body);
}

function signed(secret: string, { mode, keys }: EdgeRequest): Record<string, string> {
  const command: PurgeCommand = { time: Math.floor(Date.now() / 1000), mode, keys };
  return {
    [headers.time]: String(command.time),
    [headers.mode]: mode,
    [headers.keys]: keys,
    [headers.signature]: sign(secret, command),
  };
}

function unreachable(error: unknown): EdgeFailure {
  return new EdgeFailure('unreachable', `the edge cannot be reached: ${describe(error)}`);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown fault';
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : error.message;
}

function failureOf(status: number): EdgeFailure {
  return new EdgeFailure(
    kinds[status] ?? 'unreachable',
    reasons[status] ?? `the edge responded with ${status}`,
  );
}

function removedIn(body: string): number {
  try {
    const response: unknown = JSON.parse(body);
    if (isPurged(response)) return response.removed;
  } catch {
    // Not JSON is as little of the protocol as JSON of another shape.
  }
  throw new EdgeFailure('unreachable', 'the edge’s response is not of the purge protocol');
}

function isPurged(response: unknown): response is { readonly removed: number } {
  return (
    typeof response === 'object' && response !== null && Number.isInteger(Reflect.get(response, 'removed'))
  );
}
