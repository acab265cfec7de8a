import * as z from 'zod';
import { messageOf } from '../../../shared/ground/message-of.ts';

/** Source: the specification's "Response envelope". */
const Envelope = z.strictObject({
  succeeded: z.boolean(),
  message: z.string(),
  data: z.record(z.string(), z.unknown()).nullable(),
  pageNumber: z.int(),
  pageSize: z.int(),
  totalPages: z.int(),
  totalRecords: z.int(),
});

interface Asked {
  /** Sent in X-API-Key. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON by POST; without one it is a GET. */
  readonly body?: object;
  readonly signal: AbortSignal;
}

export interface ApiResponse {
  /** What was asked for, for people. */
  readonly request: string;
  readonly status: number;
  readonly envelope: z.output<typeof Envelope>;
  readonly requestId: string | null;
}

/** @throws Error where nothing responds, or what responds has no envelope */
export async function ask(url: string, asked: Asked): Promise<ApiResponse> {
  const request = `${asked.body ? 'POST' : 'GET'} ${url}`;
  const response = await fetchFrom(url, asked);
  const requestId = response.headers.get('x-request-id');
  const envelope = Envelope.safeParse(parsed(await response.text()));
  if (envelope.success) return { request, status: response.status, envelope: envelope.data, requestId };
  throw new Error(
    `${request} gives ${response.status} without the envelope. Deploy again; what lies before the API must let bodies through.`,
  );
}

/** @throws Error naming the address where nothing responds */
export async function fetchFrom(url: string, { key, headers, body, signal }: Asked): Promise<Response> {
  try {
    return await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: { ...headers, ...(key && { 'X-API-Key': key }) },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    throw new Error(`${url} does not respond (${messageOf(error.cause ?? error)}). Is its name in DNS?`);
  }
}

/** @throws Error with what the response says, and where its lines are */
export function requireStatus({ request, status, envelope, requestId }: ApiResponse, wanted: number): void {
  if (status === wanted) return;
  throw new Error(
    `${request} gives ${status}, not ${wanted}: ${envelope.message || 'it succeeded.'} Look for ${requestId} in the functions’ logs.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
