import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How something that was started is ended.
 * @param grace is over when work in hand is no longer waited for
 */
export type Stop = (grace: Promise<void>) => Promise<unknown>;

/** For everything that is waited for, together. */
const graceMilliseconds = 3_500;

/** Ends what was started, the last first, and goes on when one of them fails. */
export async function stopAll(stops: readonly Stop[]): Promise<void> {
  const grace = sleep(graceMilliseconds, undefined, { ref: false });
  for (const stop of stops.toReversed())
    await stop(grace).catch((error: unknown) => console.error('while stopping:', error));
}

/** Waits for the requests in hand. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
