import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** How something that was started is ended. */
export type Stop = () => Promise<unknown>;

const graceMilliseconds = 1_800;

/** Ends what was started, the last first, and goes on when one of them fails. */
export async function stopAll(stops: readonly Stop[]): Promise<void> {
  for (const stop of stops.toReversed())
    await stop().catch((error: unknown) => console.error('while stopping:', error));
}

/** So that all of them together take less than 5 s. */
export function withinGrace(stop: Promise<unknown>): Promise<unknown> {
  return Promise.race([stop, sleep(graceMilliseconds)]);
}

/** Waits for the requests in hand. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
