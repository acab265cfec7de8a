import type { Socket } from 'node:net';

const types = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  window: 8,
  continuation: 9,
} as const;
const endStream = 1;
const endHeaders = 4;
const acknowledges = 1;
const longestFrame = 16_384;

export type Fields = readonly (readonly [name: string, value: string])[];

/** What came back on a stream. */
export interface StreamResponse {
  /** Undefined where none came. */
  readonly status: number | undefined;
  readonly body: string;
  readonly isReset: boolean;
}

interface Stream {
  status?: number;
  body: string;
  end(response: Pick<StreamResponse, 'isReset'>): void;
}

/** A client of HTTP/2 that sends what no other would, written as Latin-1. Sources: RFC 9113, RFC 7541. */
export class Http2Frames {
  /** Whether the other side has ended the connection. */
  isAway = false;
  private readonly socket: Socket;
  private readonly streams = new Map<number, Stream>();
  private received = Buffer.alloc(0);
  private lastStream = -1;

  /** @param socket that is open, and both sides have agreed on HTTP/2 */
  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (data) => this.read(data)).on('error', () => this.end());
    socket.once('close', () => this.end());
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    this.send(types.settings, 0, 0);
    // Of all streams together.
    this.send(types.window, 0, 0, Buffer.from([0x7f, 0xff, 0, 0]));
  }

  close(): void {
    this.socket.destroy();
  }

  /** @param body of a request that has one, which may be empty */
  request(fields: Fields, body?: string): Promise<StreamResponse> {
    const { id, response } = this.open();
    this.sendHeaders(id, fields, body === undefined);
    if (body !== undefined) this.send(types.data, endStream, id, Buffer.from(body, 'latin1'));
    return response;
  }

  /** Sends a request, and that it is not wanted any more. */
  requestAndReset(fields: Fields): Promise<StreamResponse> {
    const { id, response } = this.open();
    this.sendHeaders(id, fields, true);
    this.send(types.reset, 0, id, Buffer.from([0, 0, 0, 8]));
    this.streams.get(id)?.end({ isReset: true });
    return response;
  }

  /** Header lines without an end. */
  sendUnended(fields: Fields, frames: number): Promise<StreamResponse> {
    const { id, response } = this.open();
    const block = encoded(fields);
    this.send(types.headers, endStream, id, block);
    for (let frame = 0; frame < frames; frame += 1) this.send(types.continuation, 0, id, block);
    return response;
  }

  ping(): void {
    this.send(types.ping, 0, 0, Buffer.alloc(8));
  }

  private open() {
    this.lastStream += 2;
    const id = this.lastStream;
    const { promise, resolve } = Promise.withResolvers<StreamResponse>();
    const stream: Stream = {
      body: '',
      end: ({ isReset }) => {
        this.streams.delete(id);
        resolve({ status: stream.status, body: stream.body, isReset });
      },
    };
    this.streams.set(id, stream);
    if (this.isAway) stream.end({ isReset: true });
    return { id, response: promise };
  }

  private sendHeaders(id: number, fields: Fields, isEnd: boolean): void {
    const block = encoded(fields);
    for (let from = 0; from === 0 || from < block.length; from += longestFrame) {
      const isLast = from + longestFrame >= block.length;
      const flags = (from === 0 && isEnd ? endStream : 0) | (isLast ? endHeaders : 0);
      const type = from === 0 ? types.headers : types.continuation;
      this.send(type, flags, id, block.subarray(from, from + longestFrame));
    }
  }

  private send(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): void {
    if (this.isAway) return;
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(stream, 5);
    this.socket.write(Buffer.concat([head, payload]));
  }

  private read(data: Buffer): void {
    this.received = Buffer.concat([this.received, data]);
    for (;;) {
      if (this.received.length < 9) return;
      const end = 9 + this.received.readUIntBE(0, 3);
      if (this.received.length < end) return;
      const [type = 0, flags = 0] = this.received.subarray(3, 5);
      this.take(type, flags, this.received.readUInt32BE(5), this.received.subarray(9, end));
      this.received = this.received.subarray(end);
    }
  }

  private take(type: number, flags: number, id: number, payload: Buffer): void {
    const stream = this.streams.get(id);
    if (type === types.settings && flags === 0) this.send(types.settings, acknowledges, 0);
    if (type === types.goAway) this.end();
    if (!stream) return;
    if (type === types.headers) stream.status ??= statusOf(payload);
    if (type === types.data) stream.body += payload.toString('latin1');
    if (type === types.reset) stream.end({ isReset: true });
    else if (type <= types.headers && (flags & endStream) !== 0) stream.end({ isReset: false });
  }

  private end(): void {
    this.isAway = true;
    for (const stream of [...this.streams.values()]) stream.end({ isReset: true });
  }
}

/** Each field as a literal that is not indexed, with a new name. */
function encoded(fields: Fields): Buffer {
  const texts = fields.map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)]));
  return Buffer.concat(texts);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([lengthOf(bytes.length), bytes]);
}

function lengthOf(length: number): Buffer {
  if (length < 127) return Buffer.from([length]);
  const bytes = [127];
  let rest = length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

const indexed = [200, 204, 206, 304, 400, 404, 500];

/** nginx begins with the status: as a number of the static table, or as three digits. */
function statusOf(block: Buffer): number | undefined {
  const start = [...block].findIndex((byte) => byte >= 0x80 || byte === 0x48);
  const byte = block[start] ?? 0;
  return byte === 0x48 ? Number(block.toString('latin1', start + 2, start + 5)) : indexed[byte - 0x88];
}
