import type { IncomingHttpHeaders } from 'node:http';
import {
  isFresh,
  modes,
  headers as names,
  type PurgeMode,
  verify,
} from '../../../shared/edge/purge-protocol.ts';
import type { Cache } from './cache.ts';

interface PurgeResponse {
  readonly statusCode: 200 | 400 | 401;
  readonly body: object;
}

/** The edge's side of the purge protocol. */
export function respondToPurge(
  cache: Cache,
  secret: string,
  headers: IncomingHttpHeaders,
  now: Date,
): PurgeResponse {
  const time = Number(headers[names.time]);
  const mode = String(headers[names.mode] ?? '');
  const keys = String(headers[names.keys] ?? '');
  if (!Number.isInteger(time) || !isMode(mode)) return refusal(400, 'not a purge of this protocol');
  const signature = String(headers[names.signature] ?? '');
  if (!isFresh(time, now) || !verify(secret, { time, mode, keys }, signature)) {
    return refusal(401, 'the signature is not right, or not of the last 60 seconds');
  }
  if (mode === 'check') return { statusCode: 200, body: { removed: 0 } };
  const removed = cache.purge(keys.split(' '), mode === 'soft', now.getTime());
  return { statusCode: 200, body: { removed } };
}

function isMode(text: string): text is PurgeMode {
  return modes.some((mode) => mode === text);
}

function refusal(statusCode: 400 | 401, message: string): PurgeResponse {
  return { statusCode, body: { message } };
}
