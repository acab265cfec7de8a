import type * as z from 'zod';
import { examples } from '../../shared/http/examples.ts';
import type { Example } from './openapi.ts';

/** The examples that stand beside a schema, each put into its place. */
export function namedExamples(
  schema: z.ZodType,
  place: (value: unknown) => unknown = (value) => value,
): Readonly<Record<string, Example>> {
  return Object.fromEntries(
    Object.entries(examples.get(schema) ?? {}).map(([name, value]) => [name, { value: place(value) }]),
  );
}
