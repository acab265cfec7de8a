import { createServer, type Server } from 'node:net';

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
};

/** Lets a server listen on a free loopback port; @returns its base address */
export const addressOf = async (server: Server): Promise<string> =>
  `http://127.0.0.1:${await listening(server)}`;

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
};
