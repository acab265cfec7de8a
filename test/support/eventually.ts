import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the response satisfies, or fails with the last one after the time limit. */
export async function eventually<Result>(
  ask: () => Promise<Result>,
  satisfies: (response: Result) => boolean,
  limitMilliseconds = 10_000,
): Promise<Result> {
  const deadline = Date.now() + limitMilliseconds;
  for (;;) {
    const response = await ask();
    if (satisfies(response)) return response;
    if (Date.now() > deadline)
      throw new Error(`not within ${limitMilliseconds} ms: ${JSON.stringify(response)}`);
    await sleep(25);
  }
}
