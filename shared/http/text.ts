import * as z from 'zod';

const noControls = /^\P{Cc}*$/u;

/** A one-line text as most fields take it: 1 to 200 characters, no control characters. */
export const Line = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(200, 'must be at most 200 characters long')
  .regex(noControls, 'must not hold control characters');
