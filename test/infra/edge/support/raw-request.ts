import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends lines that no HTTP client would send; @returns the whole answer as text */
export const rawRequest = async (baseUrl: string, lines: readonly string[]): Promise<string> => {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'), 'latin1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  await once(socket, 'close');
  return answer;
};
