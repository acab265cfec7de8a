const units = [
  ['d', 24 * 3600],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** How long a time is over, or is yet to come, in its largest unit: `3h`, `in 4m`. */
export function ageOf(time: string, now = Date.now()): string {
  const seconds = Math.round((now - Date.parse(time)) / 1000);
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['s', 1];
  const age = `${Math.floor(Math.abs(seconds) / size)}${unit}`;
  return seconds < 0 ? `in ${age}` : age;
}
