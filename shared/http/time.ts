import * as z from 'zod';

/** A time as answers give it: ISO 8601 in UTC, with milliseconds. */
export const Time = z.string().meta({ format: 'date-time' });
