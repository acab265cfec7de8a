import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { messageOf } from '../../../shared/ground/message-of.ts';
import { LocalRunError } from './local-run-error.ts';

export const loopback = '127.0.0.1';

/**
 * Listens on the loopback address and nowhere else.
 * @returns the port, which the system chooses where 0 is given
 * @throws LocalRunError when the port is in use
 */
export async function listen(server: Server, port: number, variable: string): Promise<number> {
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen({ port, host: loopback, exclusive: true }, listening.resolve);
  try {
    await listening.promise;
  } catch (error) {
    throw new LocalRunError(`Port ${port} cannot be used (${messageOf(error)}). Set ${variable} to another.`);
  }
  server.removeListener('error', listening.reject);
  return portOf(server);
}

/** Says at once that a port is in use, before a start has spent time. @throws LocalRunError */
export async function checkPort(port: number, variable: string): Promise<number> {
  const server = createServer();
  const found = await listen(server, port, variable);
  await new Promise((resolve) => server.close(resolve));
  return found;
}

/** A port that was free a moment ago, for a program that cannot choose its own. */
export function freePort(): Promise<number> {
  return checkPort(0, 'the port');
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
