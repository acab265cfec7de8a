import type * as z from 'zod';
import { examples } from '../../shared/http/examples.ts';
import type { Example } from './openapi.ts';

/** The examples that stand beside a schema, each put into its place. */
export const namedExamples = (
  schema: z.ZodType,
  place: (value: unknown) => unknown = (value) => value,
): Readonly<Record<string, Example>> =>
  Object.fromEntries(
    Object.entries(examples.get(schema) ?? {}).map(([name, value]) => [name, { value: place(value) }]),
  );
