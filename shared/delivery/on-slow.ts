import { setTimeout as sleep } from 'node:timers/promises';

const patienceMilliseconds = 250;

/**
 * Waits for the work, and does something else meanwhile where it takes longer than a moment.
 * @returns undefined as `meanwhile` where the work was quick
 */
export async function onSlow<Result, Other>(
  work: Promise<Result>,
  other: () => Promise<Other>,
): Promise<{ readonly result: Result; readonly meanwhile: Other | undefined }> {
  const settled = new AbortController();
  const ended = work.then(
    () => settled.abort(),
    () => settled.abort(),
  );
  const isSlow = await sleep(patienceMilliseconds, true, settled).catch(() => false);
  const meanwhile = isSlow ? await other() : undefined;
  await ended;
  return { result: await work, meanwhile };
}
