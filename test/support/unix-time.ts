/** Milliseconds of Unix time, finer than the clock's own. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
