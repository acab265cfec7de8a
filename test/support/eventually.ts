import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer satisfies, or fails with the last one after the time limit. */
export async function eventually<Answer>(
  ask: () => Promise<Answer>,
  satisfies: (answer: Answer) => boolean,
  limitMilliseconds = 10_000,
): Promise<Answer> {
  const deadline = Date.now() + limitMilliseconds;
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`not within ${limitMilliseconds} ms: ${JSON.stringify(answer)}`);
    await sleep(25);
  }
}
