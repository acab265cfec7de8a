import * as z from 'zod';

/** What an edge says of a version that it was given. */
export interface Applied {
  readonly propertyId: string;
  readonly version: number;
  /** It could not read it, and has the one before; or it runs it, and will not have it after a restart. */
  readonly fault?: 'unreadable' | 'unsaved';
}

const mostApplied = 100;
const entry = '[0-9a-hjkmnp-tv-z]{26}:\\d{1,15}(?::unreadable|:unsaved)?';

/** What an edge has applied since its last report; empty where that is nothing. */
export const AppliedList = z
  .string()
  .regex(
    new RegExp(`^(?:${entry}(?:,${entry}){0,${mostApplied - 1}})?$`),
    `must be at most ${mostApplied} entries PROPERTY_ID:VERSION, PROPERTY_ID:VERSION:unreadable or PROPERTY_ID:VERSION:unsaved, separated by commas`,
  );

export function parseApplied(list: string): readonly Applied[] {
  if (list === '') return [];
  return list.split(',').map((text) => {
    const [propertyId = '', version, fault] = text.split(':');
    return {
      propertyId,
      version: Number(version),
      ...((fault === 'unreadable' || fault === 'unsaved') && { fault }),
    };
  });
}
