import * as z from 'zod';

const secondsInAYear = 31_536_000;

/** A time as responses give it: ISO 8601 in UTC, with milliseconds. */
export const Time = z.string().meta({ format: 'date-time' });

export const Seconds = z
  .int('must be a whole number of seconds')
  .min(0, 'must be 0 or more')
  .max(secondsInAYear, `must be at most ${secondsInAYear}, a year`)
  .describe('Whole seconds, at most a year.');
