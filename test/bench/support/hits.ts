import { connect, type Socket } from 'node:net';
import { type Fields, Http2Frames } from '../../infra/edge/support/http2-frames.ts';

const endOfHead = '\r\n\r\n';

/** Opens a connection. */
export type Connect = () => Promise<Socket>;

export function connectTo(baseUrl: string): Connect {
  const { hostname, port } = new URL(baseUrl);
  return async () => connect(Number(port), hostname);
}

/** Sends as many requests over kept connections, each connection one after another, and reads every response. */
export async function sendHits(
  open: Connect,
  requests: readonly string[],
  count: number,
  connections: number,
): Promise<void> {
  const next = turns(requests, count);
  const visitor = async () => {
    const socket = (await open()).setNoDelay().setEncoding('latin1');
    for (let text = next(); text !== undefined; text = next()) await exchange(socket, text);
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, visitor));
}

/** The same by HTTP/2. */
export async function sendHttp2Hits(
  open: Connect,
  requests: readonly Fields[],
  count: number,
  connections: number,
): Promise<void> {
  const next = turns(requests, count);
  const visitor = async () => {
    const frames = new Http2Frames((await open()).setNoDelay());
    for (let fields = next(); fields !== undefined; fields = next()) {
      const { status, isReset } = await frames.request(fields);
      if (status !== 200 || isReset) throw new Error(`the edge has responded with ${status}`);
    }
    frames.close();
  };
  await Promise.all(Array.from({ length: connections }, visitor));
}

/** @returns one request after another, `count` in all */
function turns<Request>(requests: readonly Request[], count: number): () => Request | undefined {
  let next = 0;
  return () => {
    next += 1;
    return next > count ? undefined : requests[next % requests.length];
  };
}

function exchange(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    const finish = (error?: Error) => {
      socket.off('data', read).off('error', finish).off('close', closed);
      if (error) reject(error);
      else resolve();
    };
    const closed = () => finish(new Error('the edge has closed the connection'));
    const read = (data: string) => {
      received += data;
      if (isWhole(received)) finish(faultOf(received));
    };
    socket.on('data', read).once('error', finish).once('close', closed);
    socket.write(text);
  });
}

function isWhole(received: string): boolean {
  const head = received.indexOf(endOfHead);
  if (head === -1) return false;
  const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(received.slice(0, head + 2)) ?? [];
  if (length === undefined) throw new Error('the response does not say its length');
  return received.length >= head + endOfHead.length + Number(length);
}

function faultOf(received: string): Error | undefined {
  return received.startsWith('HTTP/1.1 200 ') ? undefined : new Error(received.slice(0, 200));
}
