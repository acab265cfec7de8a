import { type Server, STATUS_CODES } from 'node:http';

/** GET and HEAD are looked up, the others passed, as by the edge node. */
const allowedMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export const allow = allowedMethods.join(', ');

const statuses: Readonly<Record<string, number>> = {
  HPE_INVALID_METHOD: 405,
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

export function isAllowed(method = ''): boolean {
  return allowedMethods.includes(method);
}

/** Responds to the methods that Node's server hands to no request listener: CONNECT, and those it does not know. */
export function refuseOtherMethods(server: Server): void {
  server.on('connect', (_, socket) => socket.end(refusal(405)));
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(refusal(statuses[code] ?? 400));
  });
}

function refusal(status: number): string {
  const header = status === 405 ? `Allow: ${allow}\r\n` : '';
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${header}Content-Length: 0\r\nConnection: close\r\n\r\n`;
}
