import type { IncomingMessage, ServerResponse } from 'node:http';

/** How an edge treats a request that would purge: as it should, or in a way of its own. */
export type Mood = 'well' | 'error' | 'hanging' | 'slow' | 'refusing';

/** What an edge takes for a purge in the mood `slow`. */
export const slowMilliseconds = 2_000;

/** @returns whether the mood leaves the request without the response that it should have */
export function isMistreated(mood: Mood, request: IncomingMessage, response: ServerResponse): boolean {
  if (mood === 'refusing') request.socket.destroy();
  if (mood === 'error') response.writeHead(500).end();
  return mood === 'hanging' || mood === 'refusing' || mood === 'error';
}
