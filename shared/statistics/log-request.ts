import { gunzipSync } from 'node:zlib';
import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';
import type { RawRequest } from '../http/endpoint.ts';
import { headerValues } from '../http/headers.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';

/** What an edge's request holds, beside the token that says which edge it is. */
export interface LogRequest {
  /** Lines of JSON. */
  readonly text: Buffer;
  /** The name that the edge gave to the batch. */
  readonly idempotencyKey: string | undefined;
}

/**
 * Reads a request's lines, plain or gzip.
 * @throws ApiError `unsupportedMediaType`, `tooLarge`, `invalid` for a bad key, for nothing at all and for broken gzip
 */
export function readLogRequest(request: RawRequest): LogRequest {
  const idempotencyKey = readIdempotencyKey(request.headers);
  const text = unpack(request);
  requireBoundedLines(text);
  return { text, idempotencyKey };
}

const mebibyte = 1024 * 1024;
const maximumSentBytes = 4 * mebibyte;
const maximumUnpackedBytes = 32 * mebibyte;
const maximumLineBytes = 16 * 1024;

/** Even where each line names a host of its own, so many are counted well within the function’s time. */
const maximumLines = 50_000;
const newline = 0x0a;

const mediaType =
  /^\s*(application\/([\w.-]+\+)?(json|ndjson|x-ndjson|jsonl|x-jsonlines|gzip|x-gzip|octet-stream)|text\/plain|)\s*(;|$)/i;
const encoding = /^\s*(identity|gzip|x-gzip|)\s*$/i;

function unpack(request: RawRequest): Buffer {
  const { bytes } = request;
  const [declared = ''] = requireKnownForm(request);
  if (bytes.length > maximumSentBytes) throw tooManyBytes();
  if (bytes.length === 0) throw new ApiError('invalid', 'The body is empty. Send lines of JSON.');
  if (isGzip(bytes)) return inflate(bytes);
  if (/gzip/i.test(declared)) throw new ApiError('invalid', 'The body is not gzip, as its header says.');
  return bytes;
}

function requireKnownForm({ headers }: RawRequest): readonly string[] {
  const encodings = headerValues(headers, 'content-encoding');
  const types = headerValues(headers, 'content-type');
  if (encodings.length > 1 || !encodings.every((value) => encoding.test(value)))
    throw new ApiError('unsupportedMediaType', 'Send the lines plain, or with Content-Encoding: gzip.');
  if (!types.every((value) => mediaType.test(value)))
    throw new ApiError('unsupportedMediaType', messages.logMediaType);
  return encodings;
}

function tooManyBytes() {
  return tooLarge('The body is larger than 4 MiB, or 32 MiB unpacked. Split it over several requests.');
}

function tooLarge(problem: string) {
  return new ApiError('tooLarge', problem);
}

/** gzip says so in its first two bytes, which no line of a log can begin with. */
function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Never inflates more than the limit, whatever the bytes promise. Large pieces, because each has its price. */
function inflate(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maximumUnpackedBytes, chunkSize: mebibyte });
  } catch (error) {
    if (isTooLarge(error)) throw tooManyBytes();
    throw new ApiError('invalid', 'The body is not whole gzip. Send it again.');
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === 'ERR_BUFFER_TOO_LARGE';
}

/** Before any line is read, so that a refusal costs next to nothing. */
function requireBoundedLines(bytes: Buffer): void {
  let number = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(newline, start);
    const end = found < 0 ? bytes.length : found;
    number += 1;
    if (end - start > maximumLineBytes) throw tooLarge(`Line ${number} is longer than 16 KiB. Shorten it.`);
    if (number > maximumLines) throw tooLarge(messages.logLinesTooMany);
    start = end + 1;
  }
}
