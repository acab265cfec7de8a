import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { textOf } from './batch.mjs';

/**
 * What became of a batch: it is counted; or refused for what it holds; or known, because its key came with another
 * body before; or still open, so that it must be sent again.
 * @typedef {{ outcome: 'counted' | 'refused' | 'known' | 'open', reason: string }} Result
 */

const timeoutMilliseconds = 60_000;
const longestReason = 200;

/** All other statuses say nothing of the batch, but of the way to the API, of the token or of the moment. */
const outcomes = new Map([
  [400, 'refused'],
  [409, 'known'],
  [413, 'refused'],
  [415, 'refused'],
  [422, 'refused'],
]);

/** Sends a batch once. @returns {Promise<Result>} */
export function send(options, inode, start, bytes) {
  return post(options, keyOf(inode, start, bytes), textOf(bytes));
}

/** Whether the API takes a batch without any line: if not, a refusal says nothing of what was sent. */
export async function isTaking(options) {
  const { outcome } = await post(options, 'ship-logs-no-line', '\n');
  return outcome === 'counted';
}

/** The batch's name: where its bytes lie, and what they are. */
function keyOf(inode, start, bytes) {
  return `${inode}-${start}-${createHash('sha256').update(bytes).digest('base64url')}`;
}

async function post({ api, tokenFile }, key, text) {
  try {
    const response = await fetch(`${api}/api/edge/logs`, {
      method: 'POST',
      headers: {
        'X-Edge-Token': readFileSync(tokenFile, 'utf8').trim(),
        'Idempotency-Key': key,
        'Content-Type': 'application/x-ndjson',
        'Content-Encoding': 'gzip',
      },
      body: await promisify(gzip)(text),
      // The token is for this address alone.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    return resultOf(response, await response.text());
  } catch (error) {
    return { outcome: 'open', reason: error.cause?.message ?? error.message };
  }
}

function resultOf({ status, headers }, text) {
  const { message, data } = envelopeOf(text);
  if (status === 200 && Number.isInteger(data?.rejected)) {
    report(data);
    return { outcome: 'counted', reason: '' };
  }
  const isForNow = headers.has('retry-after');
  return {
    outcome: (isForNow ? undefined : outcomes.get(status)) ?? 'open',
    reason: [status, ...reasonsOf(status, message, headers.get('location'))].join(' '),
  };
}

function reasonsOf(status, message, location) {
  const isOfApi = typeof message === 'string';
  return [
    ...(location === null ? [] : [`to ${plain(location)}`]),
    isOfApi ? plain(message) : 'and no response of the API',
    ...(isOfApi && status !== 404 ? [] : ['(is --api right?)']),
  ];
}

/** Nothing where the text is not the API's. */
function envelopeOf(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function report({ rejected, errors }) {
  if (rejected === 0) return;
  const reason = plain(String(errors?.[0]?.reason));
  console.error(`ship-logs: ${rejected} lines were rejected, the first one because: ${reason}`);
}

/** In one line, whoever wrote it. */
function plain(text) {
  return text.slice(0, longestReason).replace(/\p{Cc}+/gu, ' ');
}
