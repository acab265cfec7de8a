import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { endpoints } from '../../../functions/endpoints.ts';
import type { Content } from '../../../infra/openapi/openapi.ts';
import {
  describedOperations,
  describedSchemas,
  description,
  operationNamed,
} from '../../support/description.ts';

function examplesIn(content: Content | undefined) {
  return Object.values(content ?? {}).flatMap(({ examples }) => Object.entries(examples));
}

describe.each(describedOperations())('$operation.operationId', ({ path, method, operation }) => {
  const schemas = describedSchemas();

  test('says what it does and under which heading', () => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(operation.summary).not.toBe('');
    expect(operation.description).toMatch(/\.$/);
    expect(description().tags.map(({ name }) => name)).toContain(operation.tags[0]);
  });

  test('describes every parameter, those of its path among them', () => {
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    for (const parameter of operation.parameters) {
      expect([parameter.name, parameter.description]).toEqual([
        parameter.name,
        expect.stringMatching(/\w.*\.$/),
      ]);
      if (parameter.in === 'path') expect(parameter.example).toEqual(expect.any(String));
    }
    for (const { name, description: text } of inPath) {
      const [, list = ''] = /, as GET (\S+) lists it\./.exec(text) ?? [];
      expect([name, list, description().paths[list]?.get]).toEqual([name, list, expect.any(Object)]);
    }
  });

  const content = [
    ['requestBody', operation.requestBody?.content] as const,
    ...Object.entries(operation.responses).map(
      ([status, response]) => [`responses ${status}`, response.content] as const,
    ),
  ].filter(([, each]) => each);

  test.each(content)('has an example in its %s, and all fit the schema', (place, each) => {
    expect(examplesIn(each)).not.toEqual([]);
    const [mediaType = ''] = Object.keys(each ?? {});
    const pointer = ['paths', path, method, ...place.split(' '), 'content', mediaType, 'schema'];
    for (const [name, { value }] of examplesIn(each)) {
      expect([name, schemas.faults(pointer, value)]).toEqual([name, []]);
    }
  });

  test('every response carries the request’s id', () => {
    for (const { headers } of Object.values(operation.responses))
      expect(headers).toHaveProperty('X-Request-Id');
  });
});

function operationIdOf(file: string): string {
  return file.replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Of a body that is one of several: the field that says which, with each of its values. */
function membersOf(body: z.ZodType | undefined): readonly (readonly [string, unknown])[] {
  if (!(body instanceof z.ZodDiscriminatedUnion)) return [];
  const { discriminator, options } = body.def;
  return options.flatMap(({ _zod: { propValues } }) =>
    [...(propValues?.[discriminator] ?? [])].map((value) => [discriminator, value] as const),
  );
}

const members = Object.entries(endpoints).flatMap(([file, { body }]) =>
  membersOf(body).map((member) => [file, ...member] as const),
);

describe('examples', () => {
  beforeAll(() => {
    process.env.ALLOW_PRIVATE_ORIGINS = 'false';
  });

  test.each(Object.entries(endpoints).filter(([, { body }]) => body))(
    'the body of %s passes its own validation',
    (file, { body }) => {
      for (const [name, { value }] of examplesIn(operationNamed(operationIdOf(file)).requestBody?.content)) {
        expect([name, body?.safeParse(value).error]).toEqual([name, undefined]);
      }
    },
  );

  test.each(members)('the body of %s has one whose %s is %s', (file, field, value) => {
    const bodies = examplesIn(operationNamed(operationIdOf(file)).requestBody?.content);
    expect(bodies.map(([, body]) => body.value)).toContainEqual(expect.objectContaining({ [field]: value }));
  });
});
