import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../ground/api-error.ts';

const attempts = 150;
const longestPauseMilliseconds = 20;

/**
 * Repeats work that another writer got ahead of. Each refusal means that some contender has succeeded, so that
 * of fewer contenders than attempts all come through.
 * @param attempt reads afresh and tries to write; undefined when it was refused
 */
export async function untilWritten<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (let count = 0; count < attempts; count += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
    await sleep(Math.random() * longestPauseMilliseconds);
  }
  throw unavailable(new Error(`Other writers got ahead ${attempts} times`));
}
