/** How far the clocks of two functions may lie apart. */
export const clockToleranceMilliseconds = 1_000;
