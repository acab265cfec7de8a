import type { IncomingHttpHeaders } from 'node:http';
import {
  isFresh,
  modes,
  headers as names,
  type PurgeMode,
  verify,
} from '../../../shared/edge/purge-protocol.ts';
import type { Notifications } from '../agent/notifications.mjs';
import type { Cache } from './cache.ts';
import type { Reply } from './reply.ts';

/** The edge's side of the purge protocol. */
export class PurgeEndpoint {
  private readonly cache: Cache;
  private readonly secret: string;
  private readonly notifications: Notifications;
  private readonly onPoll: () => void;

  constructor(cache: Cache, secret: string, notifications: Notifications, onPoll: () => void) {
    this.cache = cache;
    this.secret = secret;
    this.notifications = notifications;
    this.onPoll = onPoll;
  }

  replyTo(headers: IncomingHttpHeaders, now: Date): Reply {
    const time = Number(headers[names.time]);
    const mode = String(headers[names.mode] ?? '');
    const keys = String(headers[names.keys] ?? '');
    if (!Number.isInteger(time) || !isMode(mode)) return reply(400, 'not a purge of this protocol');
    const signature = String(headers[names.signature] ?? '');
    if (mode === 'poll') return this.replyToPoll({ time, keys, signature }, now);
    if (!isFresh(time, now) || !verify(this.secret, { time, mode, keys }, signature)) return refused();
    if (mode === 'check') return removed(0);
    return removed(this.cache.purge(keys.split(' '), mode === 'soft', now.getTime()));
  }

  private replyToPoll(notification: Parameters<Notifications['judge']>[0], now: Date): Reply {
    const judgement = this.notifications.judge(notification, now.getTime());
    if (judgement === 'refused') return refused();
    if (judgement === 'accepted') this.onPoll();
    return removed(0);
  }
}

function isMode(text: string): text is PurgeMode {
  return modes.some((mode) => mode === text);
}

function refused(): Reply {
  return reply(401, 'the signature is not right, or not of the last 60 seconds');
}

function removed(count: number): Reply {
  return json(200, { removed: count });
}

function reply(statusCode: 400 | 401, message: string): Reply {
  return json(statusCode, { message });
}

function json(statusCode: number, body: object): Reply {
  const headers = { 'content-type': 'application/json' };
  return { statusCode, headers, body: Buffer.from(JSON.stringify(body)) };
}
