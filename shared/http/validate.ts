import type * as z from 'zod';
import { ApiError } from '../ground/api-error.ts';

type Issue = z.core.$ZodIssue;

interface Fault {
  readonly field: string;
  readonly says: string;
}

const maximumElements = 3;
const maximumUnknown = 20;
const plainName = /^[A-Za-z_]\w{0,29}$/;

/**
 * Parses at the border.
 * @throws ApiError `invalid` whose message names every field at fault
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  subject: 'the body' | 'the query',
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const all = result.error.issues.flatMap((issue) => faults(issue, subject));
  throw new ApiError('invalid', `Invalid request: ${phrases(all).join('; ')}.`);
}

function faults(issue: Issue, subject: string): Fault[] {
  if (issue.code !== 'unrecognized_keys') {
    return [{ field: fieldOf(issue.path) || subject, says: lowerFirst(issue.message) }];
  }
  return issue.keys.slice(0, maximumUnknown).map((key) => ({
    field: fieldOf([...issue.path, key]),
    says: isShown(key) ? 'is not a field here' : 'is not known here',
  }));
}

function fieldOf(path: readonly PropertyKey[]): string {
  const unusual = path.findIndex((part) => !isShown(part));
  if (unusual < 0) return pathText(path);
  return `a field ${unusual > 0 ? `of ${pathText(path.slice(0, unusual))} ` : ''}with an unusual name`;
}

/** Field names come from the client: what may be a credential in the wrong place is not repeated to anybody. */
function isShown(part: PropertyKey): boolean {
  return typeof part === 'number' || plainName.test(String(part));
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Every field is named; of an array's elements with one and the same fault the first few. */
function phrases(all: readonly Fault[]): string[] {
  const groups = Map.groupBy(all, ({ field, says }) => `${field.replace(/\[\d+\]/g, '[]')} ${says}`);
  return [...groups.values()].map((group) => {
    const fields = [...new Set(group.map(({ field }) => field))];
    const more = fields.length > maximumElements ? ` and ${fields.length - maximumElements} more` : '';
    return `${fields.slice(0, maximumElements).join(', ')}${more} ${group[0]?.says ?? ''}`;
  });
}
