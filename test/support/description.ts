import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import { inject } from 'vitest';
import type { OpenApiDocument, Operation } from '../../infra/openapi/openapi.ts';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function leftOpen(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(leftOpen);
  if (!isObject(value)) return value;
  const { additionalProperties: _, ...open } = value;
  return open;
}

/** A field that the description does not name is a fault here, though customers must ignore it. */
function closed(key: string, value: unknown): unknown {
  if (key === 'allOf' || key === 'Envelope') return leftOpen(value);
  const isOpen = isObject(value) && isObject(value.properties) && value.additionalProperties === undefined;
  return isOpen ? { ...value, additionalProperties: false } : value;
}

/** The description as the build wrote it. */
export function description(): OpenApiDocument {
  return JSON.parse(readFileSync(join(inject('bundles'), 'swagger-document', 'swagger.json'), 'utf8'));
}

interface DescribedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export function describedOperations(): readonly DescribedOperation[] {
  return Object.entries(description().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** @throws Error where there is none */
export function operationNamed(id: string): Operation {
  const found = describedOperations().find(({ operation }) => operation.operationId === id);
  if (!found) throw new Error(`The description has no operation ${id}`);
  return found.operation;
}

function escaped(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

function said({ instancePath, message }: ErrorObject): string {
  return `${instancePath || 'it'} ${message}`;
}

/** Checks values against the description's schemas, by where the schema stands in it. */
export function describedSchemas() {
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  ajv.addSchema(JSON.parse(JSON.stringify(description()), closed), 'description');
  return {
    /** @returns what is wrong with the value, nothing where it fits */
    faults: (place: readonly string[], value: unknown): readonly string[] => {
      const validate = ajv.getSchema(`description#/${place.map(escaped).join('/')}`);
      if (!validate) return [`the description has no schema at ${place.join(' ')}`];
      return validate(value) ? [] : (validate.errors ?? []).map(said);
    },
  };
}
