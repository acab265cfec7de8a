const patienceMilliseconds = 250;

/**
 * Waits for the work, and does something else meanwhile where it takes longer than a moment.
 * @returns undefined as `meanwhile` where the work was quick
 */
export async function onSlow<Result, Other>(
  work: Promise<Result>,
  other: () => Promise<Other>,
): Promise<{ readonly result: Result; readonly meanwhile: Other | undefined }> {
  const { promise: isSlow, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, patienceMilliseconds, true);
  const stop = (): void => resolve(false);
  work.then(stop, stop);
  const meanwhile = (await isSlow) ? await other() : undefined;
  clearTimeout(timer);
  return { result: await work, meanwhile };
}
