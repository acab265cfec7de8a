import { createServer, type Server } from 'node:net';
import { listen, loopback } from '../../../../infra/local/host/listen.ts';

/** Lets a server listen on a free loopback port; @returns its base address */
export async function addressOf(server: Server): Promise<string> {
  return `http://${loopback}:${await listen(server, 0, 'a port')}`;
}

/** One that only root may listen on. */
export async function freeLowPort(): Promise<number> {
  for (let port = 1023; port > 0; port -= 1) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
  throw new Error('no port below 1024 is free');
}
