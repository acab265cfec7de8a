import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from './exit.mjs';

/** A node that has just ended may still be closing its connections. */
const graceMilliseconds = 2_000;
const pollMilliseconds = 50;

/** @throws Exit where nothing can listen at an option's address */
export async function checkAddress(option, listen) {
  const until = Date.now() + graceMilliseconds;
  for (;;) {
    const problem = await listenAt(listen);
    if (!problem) return;
    if (problem.code !== 'EADDRINUSE' || Date.now() > until)
      throw failure(`--${option} ${listen} cannot be used: ${problem.message}`);
    await sleep(pollMilliseconds);
  }
}

/** @returns what is wrong */
async function listenAt(listen) {
  const { hostname } = new URL(`http://${listen}`);
  const server = createServer();
  try {
    server.listen({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(listen.split(':').at(-1)) });
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return undefined;
  } catch (error) {
    return error;
  }
}
