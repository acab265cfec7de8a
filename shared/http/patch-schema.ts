import * as z from 'zod';

/**
 * The body of a merge patch of what a schema describes: every field optional, null where a field can be cleared
 * or set back to its default, unknown fields refused.
 */
export function patchSchema(schema: z.ZodObject): z.ZodType<Record<string, unknown>> {
  return z.strictObject(
    Object.fromEntries(
      Object.entries(schema.shape).map(([name, field]) => [name, patchField(field as z.ZodType)]),
    ),
    'must be a JSON object',
  ) as z.ZodType<Record<string, unknown>>;
}

function patchField(schema: z.ZodType): z.ZodType {
  const { inner, canBeCleared } = withoutDefault(schema);
  const field = inner instanceof z.ZodObject ? patchSchema(inner) : inner;
  const described = schema.description ? field.describe(schema.description) : field;
  return canBeCleared ? described.nullable().optional() : described.optional();
}

/** Takes a field's default away: what a patch leaves out must stay as it is stored, and null sets back. */
function withoutDefault(schema: z.ZodType): { readonly inner: z.ZodType; readonly canBeCleared: boolean } {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  ) {
    return { inner: withoutDefault(schema.unwrap() as z.ZodType).inner, canBeCleared: true };
  }
  return { inner: schema, canBeCleared: false };
}
