import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Schema } from './openapi.ts';

/** What a schema describes: a query is text that is read as numbers, a body may leave defaults out. */
type Role = 'query' | 'body' | 'data';

/** JSON schemas by the keys of the zod schemas, and the named ones that they refer to. */
export interface DescribedSchemas {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly components: Readonly<Record<string, Schema>>;
}

/** Converts all at once, so that each named schema is described once. */
export function describeSchemas(
  role: Role,
  zodSchemas: Readonly<Record<string, z.ZodType>>,
): DescribedSchemas {
  const converted = z.toJSONSchema(z.object(zodSchemas), {
    target: 'openapi-3.0',
    io: role === 'body' ? 'input' : 'output',
    override: ({ zodSchema, jsonSchema }) => leaveOpen(role, zodSchema, jsonSchema),
  });
  const { properties = {}, definitions = {} } = JSON.parse(JSON.stringify(converted), (key, value) =>
    fix(role, key, value),
  ) as { readonly properties?: Record<string, Schema>; readonly definitions?: Record<string, Schema> };
  return { schemas: properties, components: definitions };
}

/** @throws Error naming a component that bodies and responses would describe differently */
export function mergeComponents(
  ...parts: readonly DescribedSchemas['components'][]
): DescribedSchemas['components'] {
  const merged: Record<string, Schema> = {};
  for (const [name, schema] of parts.flatMap((part) => Object.entries(part))) {
    if (merged[name] && !isDeepStrictEqual(merged[name], schema)) {
      throw new Error(`The schema ${name} differs between bodies and responses: give one of them another id`);
    }
    merged[name] = schema;
  }
  return merged;
}

/** Responses may gain fields, so only what was declared as exact is closed. */
function leaveOpen(role: Role, schema: z.core.$ZodType, json: Record<string, unknown>): void {
  const isExact = schema instanceof z.ZodObject && schema.def.catchall !== undefined;
  if (role === 'data' && !isExact) delete json.additionalProperties;
}

function fix(role: Role, key: string, value: unknown): unknown {
  if (key === '$ref') return String(value).replace('#/definitions/', '#/components/schemas/');
  if (key === 'pattern' && typeof value === 'string') return portablePattern(value);
  if (!isSchema(value)) return value;
  return withJoinedForm(defaultAsText(role, withoutSafeBounds(withNullInParts(value))));
}

/** Many tools know no Unicode classes in patterns; control characters are these ranges. */
function portablePattern(pattern: string): string {
  return pattern
    .replaceAll(/\[\\P\{Cc\}([^\]]*)\]/g, (_, others: string) => `(?:\\P{Cc}|[${others}])`)
    .replaceAll('\\P{Cc}', '[^\\x00-\\x1f\\x7f-\\x9f]');
}

function isSchema(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A schema with the key `joinedBy` takes its array also as one string: both forms are shown. */
function withJoinedForm(schema: Schema): Schema {
  const { joinedBy, description, ...array } = schema;
  if (joinedBy === undefined) return schema;
  const joined = {
    type: 'string',
    minLength: 1,
    description: `The values in one string, separated by ${joinedBy}.`,
  };
  return { description, oneOf: [array, joined] };
}

/** Generators take a field with a `default` for one that must be sent, so a body's default stands in the text. */
function defaultAsText(role: Role, schema: Schema): Schema {
  if (role === 'query' || !('default' in schema)) return schema;
  const { default: fallback, ...rest } = schema;
  if (role === 'data' || typeof fallback === 'object') return rest;
  return { ...rest, description: `${schema.description ?? ''} Default: ${JSON.stringify(fallback)}.`.trim() };
}

function withoutSafeBounds(schema: Schema): Schema {
  const { minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

/** In OpenAPI 3.0 `nullable` reaches into neither an enumeration nor the parts of an `allOf`. */
function withNullInParts(schema: Schema): Schema {
  if (schema.nullable !== true) return schema;
  const { enum: values, allOf: parts } = schema;
  return {
    ...schema,
    ...(Array.isArray(values) && { enum: [...values, null] }),
    ...(Array.isArray(parts) && { allOf: parts.map((part) => ({ ...part, nullable: true })) }),
  };
}
