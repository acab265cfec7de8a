import { beforeAll, describe, expect, test } from 'vitest';
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

describe('examples', () => {
  beforeAll(() => {
    process.env.ALLOW_PRIVATE_ORIGINS = 'false';
  });

  test.each(Object.entries(endpoints).filter(([, { body }]) => body))(
    'the body of %s passes its own validation',
    (file, { body }) => {
      const id = file.replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase());
      for (const [name, { value }] of examplesIn(operationNamed(id).requestBody?.content)) {
        expect([name, body?.safeParse(value).error]).toEqual([name, undefined]);
      }
    },
  );
});
