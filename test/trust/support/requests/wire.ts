import { connect, type Socket } from 'node:net';
import type { Envelope } from '../../../../shared/http/envelope.ts';
import type { ApiResponse } from '../../../support/api-client.ts';

export type Header = readonly [name: string, value: string];

/** A request byte by byte: what no HTTP client would send can be sent too. */
export interface WireRequest {
  readonly method: string;
  /** As it stands in the request's first line, in Latin-1. */
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body?: Buffer | undefined;
}

/** A response; or the connection was closed without one, or nothing came in time. */
export type Outcome = ApiResponse | 'closed' | 'stuck';

/** A gateway responds after 29 seconds at the latest. */
const limitMilliseconds = 30_000;
const headEnd = Buffer.from('\r\n\r\n');

/** One connection to the API at a time, kept open from request to request. */
export class Wire {
  private readonly url: URL;
  private socket: Socket | undefined;

  constructor(baseUrl: string) {
    this.url = new URL(baseUrl);
  }

  async send(request: WireRequest): Promise<Outcome> {
    const isReused = this.socket?.writable === true;
    const socket = this.socket?.writable ? this.socket : this.open();
    this.socket = socket;
    const outcome = await exchange(socket, bytesOf(request, this.url.host), request.method);
    // The server may have closed it as idle at the same time.
    if (outcome === 'closed' && isReused) return this.send(request);
    const ends = typeof outcome === 'string' || /close/i.test(String(outcome.headers.connection));
    if (ends) this.close();
    return outcome;
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
  }

  private open(): Socket {
    const socket = connect(Number(this.url.port), this.url.hostname).setNoDelay(true);
    // What goes wrong with it is seen as its end.
    return socket.on('error', () => undefined);
  }
}

/** Where a header frames the body, or names the host, it is the only one to do so. */
function bytesOf({ method, target, headers, body }: WireRequest, host: string): Buffer {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const isFramed = names.has('content-length') || names.has('transfer-encoding');
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(names.has('host') ? [] : [`Host: ${host}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body && !isFramed ? [`Content-Length: ${body.length}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]);
}

function exchange(socket: Socket, bytes: Buffer, method: string): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let received = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const response = parse(received, method, false);
    if (response) resolve(response);
  };
  const onClose = () => resolve(parse(received, method, true) ?? 'closed');
  const timer = setTimeout(() => resolve('stuck'), limitMilliseconds);
  socket.on('data', onData).on('close', onClose);
  socket.write(bytes);
  return promise.finally(() => {
    clearTimeout(timer);
    socket.off('data', onData).off('close', onClose);
  });
}

/** @returns undefined where more is to come */
function parse(bytes: Buffer, method: string, isAll: boolean): ApiResponse | undefined {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(first.split(' ')[1]);
  const rest = bytes.subarray(end + headEnd.length);
  if (status < 200) return parse(rest, method, isAll);
  const headers = headersOf(lines);
  const length =
    method === 'HEAD' ? 0 : Number(headers['content-length'] ?? (isAll ? rest.length : Infinity));
  if (rest.length < length) return undefined;
  const text = rest.subarray(0, length).toString();
  const envelope = envelopeIn(text);
  return { status, headers, text, envelope, data: envelope.data };
}

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
}

/** What is no JSON is no envelope either: without fields, which whoever judges the response finds. */
function envelopeIn(text: string): Envelope {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {} as Envelope;
  }
}
