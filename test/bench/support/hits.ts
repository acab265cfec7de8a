import { connect, type Socket } from 'node:net';

const endOfHead = '\r\n\r\n';

/** Sends as many requests over kept connections, each connection one after another, and reads every response. */
export async function sendHits(
  baseUrl: string,
  requests: readonly string[],
  count: number,
  connections: number,
): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  let next = 0;
  const visitor = async () => {
    const socket = connect(Number(port), hostname).setNoDelay().setEncoding('latin1');
    while (next < count) {
      const text = requests[next % requests.length] ?? '';
      next += 1;
      await exchange(socket, text);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, visitor));
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
