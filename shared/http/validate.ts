import type * as z from 'zod';
import { ApiError } from './api-error.ts';

type Issue = z.core.$ZodIssue;

const maximumNamed = 10;
const plainName = /^[A-Za-z_]\w{0,29}$/;

/** Field names come from the client: what may be a credential in the wrong place is not repeated to anybody. */
const shown = (name: PropertyKey): string => {
  const text = String(name);
  return plainName.test(text) ? text : 'a field with an unusual name';
};

const fieldOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${shown(part)}`))
    .join('')
    .slice(1);

const faults = (issue: Issue, subject: string): string[] => {
  const field = fieldOf(issue.path) || subject;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${[...issue.path.map(shown), shown(key)].join('.')} is not a field here`);
  }
  return [`${field} ${lowerFirst(issue.message)}`];
};

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/**
 * Parses at the border.
 * @throws ApiError `invalid` whose message names every field at fault (the first ten, and how many more)
 */
export const validate = <Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  subject: 'the body' | 'the query',
): z.output<Schema> => {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const all = [...new Set(result.error.issues.flatMap((issue) => faults(issue, subject)))];
  const more = all.length > maximumNamed ? `; and ${all.length - maximumNamed} more` : '';
  throw new ApiError('invalid', `Invalid request: ${all.slice(0, maximumNamed).join('; ')}${more}.`);
};
