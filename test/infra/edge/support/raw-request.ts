import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Sends lines that no HTTP client would send; @returns the whole response as text */
export async function rawRequest(baseUrl: string, lines: readonly string[]): Promise<string> {
  const socket = open(baseUrl);
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'), 'latin1');
  const received = read(socket);
  await once(socket, 'close');
  return received.join('');
}

/** Sends bytes, written as Latin-1, and ends, whoever ends earlier; @returns all that came back */
export async function sendRaw(baseUrl: string, text: string): Promise<string> {
  const socket = open(baseUrl);
  socket.on('error', () => undefined).end(text, 'latin1');
  const received = read(socket);
  await new Promise((resolve) => socket.once('close', resolve));
  return received.join('');
}

function open(baseUrl: string): Socket {
  const { hostname, port } = new URL(baseUrl);
  return connect(Number(port), hostname);
}

function read(socket: Socket): readonly string[] {
  const pieces: string[] = [];
  socket.setEncoding('latin1').on('data', (text: string) => pieces.push(text));
  return pieces;
}
