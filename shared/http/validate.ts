import * as z from 'zod';
import { ApiError } from '../ground/api-error.ts';

type Issue = z.core.$ZodIssue;

type Subject = 'the body' | 'the query';

interface Fault {
  readonly field: string;
  readonly says: string;
}

const maximumElements = 3;
const maximumUnknown = 20;
const plainName = /^[A-Za-z_]\w{0,29}$/;
const nouns = { 'the body': 'field', 'the query': 'query parameter' } as const;

/**
 * Parses at the border.
 * @throws ApiError `invalid` whose message names every field at fault
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  subject: Subject,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const parameters =
    subject === 'the query' && schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const all = result.error.issues.flatMap((issue) => faults(issue, subject, parameters));
  throw new ApiError('invalid', `Invalid request: ${phrases(all).join('; ')}.`);
}

/** @param parameters what a query may hold */
function faults(issue: Issue, subject: Subject, parameters: readonly string[]): Fault[] {
  const noun = nouns[subject];
  if (issue.code !== 'unrecognized_keys') {
    return [{ field: fieldOf(issue.path, noun) || subject, says: lowerFirst(issue.message) }];
  }
  return issue.keys.slice(0, maximumUnknown).map((key) => ({
    field: fieldOf([...issue.path, key], noun),
    says: isShown(key) ? `is not a ${noun} here${otherCase(key, parameters)}` : 'is not known here',
  }));
}

function otherCase(key: string, parameters: readonly string[]): string {
  const meant = parameters.find((name) => name.toLowerCase() === key.toLowerCase());
  return meant ? `, but ${meant} is` : '';
}

function fieldOf(path: readonly PropertyKey[], noun: string): string {
  const unusual = path.findIndex((part) => !isShown(part));
  if (unusual < 0) return pathText(path);
  return `a ${noun} ${unusual > 0 ? `of ${pathText(path.slice(0, unusual))} ` : ''}with an unusual name`;
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
