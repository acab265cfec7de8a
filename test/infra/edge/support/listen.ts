import { createServer, type Server } from 'node:net';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** Lets a server listen on a free loopback port; @returns its base address */
export async function addressOf(server: Server): Promise<string> {
  return `http://127.0.0.1:${await listening(server)}`;
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

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
