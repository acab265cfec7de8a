/** Milliseconds of CPU that the work takes: a busy machine, which makes it late, makes it no dearer. */
export function cpuMillisecondsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
