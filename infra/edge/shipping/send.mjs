import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const timeoutMilliseconds = 60_000;
const maximumLineBytes = 16 * 1024;
const shortTarget = 1_000;

/** The API refuses longer lines, and of the target nothing is counted. */
const shorten = (line) => {
  if (Buffer.byteLength(line) <= maximumLineBytes) return line;
  try {
    const fields = JSON.parse(line);
    return JSON.stringify({ ...fields, u: String(fields.u).slice(0, shortTarget) });
  } catch {
    return '"a line that is too long and no JSON"';
  }
};

/** The same for the same bytes, because the API knows a batch by it. */
const linesOf = (bytes) => bytes.toString('utf8').split('\n').map(shorten).join('\n');

/** The batch's name: where its bytes lie, and what they are. */
const keyOf = (inode, start, bytes) =>
  `${inode}-${start}-${createHash('sha256').update(bytes).digest('base64url')}`;

const post = async (api, token, key, body) => {
  const response = await fetch(`${api}/api/edge/logs`, {
    method: 'POST',
    headers: {
      'X-Edge-Token': token,
      'Idempotency-Key': key,
      'Content-Type': 'application/x-ndjson',
      'Content-Encoding': 'gzip',
    },
    body,
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  const { message, data } = await response.json();
  if (response.status !== 200) throw new Error(`${response.status} ${message}`);
  return data;
};

const report = ({ rejected, errors }) => {
  if (rejected === 0) return;
  const [first] = errors;
  console.error(`ship-logs: ${rejected} lines were rejected, the first one because: ${first?.reason}`);
};

/**
 * Sends a batch once. @returns when it is counted
 * @throws Error when it may not be, so that it must be sent again
 */
export const send = async ({ api, tokenFile }, inode, start, bytes) => {
  const token = readFileSync(tokenFile, 'utf8').trim();
  const body = await promisify(gzip)(linesOf(bytes));
  report(await post(api, token, keyOf(inode, start, bytes), body));
};
