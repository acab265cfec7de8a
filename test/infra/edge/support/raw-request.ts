import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends lines that no HTTP client would send; @returns the whole response as text */
export async function rawRequest(baseUrl: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'), 'latin1');
  let response = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    response += text;
  });
  await once(socket, 'close');
  return response;
}
