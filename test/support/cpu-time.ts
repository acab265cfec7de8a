/** Milliseconds of CPU that this process takes for the work: a busy machine, which makes it late, makes it no dearer. */
export async function cpuMillisecondsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
