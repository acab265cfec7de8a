import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { messageOf } from '../../../shared/ground/message-of.ts';
import { LocalRunError } from './local-run-error.ts';

export const loopback = '127.0.0.1';

/** The system gives the ports above to connections, which could take one that is free for a moment. */
const chosenPorts = { least: 10_000, end: 32_768 };
const tries = 100;

/**
 * Listens on the loopback address and nowhere else.
 * @returns the port, a free one where 0 is given
 * @throws LocalRunError when the port is in use
 */
export async function listen(server: Server, port: number, variable: string): Promise<number> {
  for (let left = port === 0 ? tries : 1; ; left -= 1) {
    const tried = port === 0 ? randomInt(chosenPorts.least, chosenPorts.end) : port;
    try {
      return await listenOn(server, tried);
    } catch (error) {
      if (left > 1) continue;
      throw new LocalRunError(
        `Port ${tried} cannot be used (${messageOf(error)}). Set ${variable} to another.`,
      );
    }
  }
}

async function listenOn(server: Server, port: number): Promise<number> {
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen({ port, host: loopback, exclusive: true }, listening.resolve);
  try {
    await listening.promise;
    return port;
  } finally {
    server.removeListener('error', listening.reject);
    server.removeListener('listening', listening.resolve);
  }
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
