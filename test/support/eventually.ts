import { setTimeout as sleep } from 'node:timers/promises';

const shortestPauseMilliseconds = 50;
const longestPauseMilliseconds = 250;

/**
 * Asks again and again, less often the longer it takes, until the response satisfies, or fails with the last one
 * after the time limit.
 */
export async function eventually<Result>(
  ask: () => Promise<Result>,
  satisfies: (response: Result) => boolean,
  limitMilliseconds = 120_000,
): Promise<Result> {
  const startedAt = Date.now();
  for (;;) {
    const response = await ask();
    if (satisfies(response)) return response;
    const elapsed = Date.now() - startedAt;
    if (elapsed > limitMilliseconds)
      throw new Error(`not within ${limitMilliseconds} ms: ${JSON.stringify(response)}`);
    await sleep(Math.min(shortestPauseMilliseconds + elapsed / 5, longestPauseMilliseconds));
  }
}
