import { expect, test } from 'vitest';
import { endpoints } from '../../../functions/endpoints.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import type { Schema } from '../../../infra/openapi/openapi.ts';
import {
  describedOperations,
  describedSchemas,
  description,
  operationNamed,
} from '../../support/description.ts';

const document = description();
const operations = describedOperations();

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

/** Every object in the document, with where it stands. */
function walk(value: unknown, place: string): readonly (readonly [string, Schema])[] {
  return isObject(value)
    ? [
        [place, value] as const,
        ...Object.entries(value).flatMap(([key, item]) => walk(item, `${place}/${key}`)),
      ]
    : [];
}

test('it is what the declarations say, and nothing else', () => {
  expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument(endpoints))));
  expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
    Object.values(endpoints)
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  );
  expect(Object.keys(endpoints)).toContain('auth/two-factor-verify');
  expect(operationNamed('authTwoFactorVerify').summary).toBe(endpoints['auth/two-factor-verify']?.summary);
});

/** A field that is nothing but a named schema has that one's description. */
function textOf(described: unknown): unknown {
  if (!isObject(described)) return undefined;
  const name = String(described.$ref ?? '').replace('#/components/schemas/', '');
  return described.description ?? document.components.schemas[name]?.description;
}

test('every field has a description', () => {
  for (const [place, schema] of walk(document.components.schemas, '').concat(walk(document.paths, 'paths'))) {
    if (!place.endsWith('/properties')) continue;
    for (const [field, described] of Object.entries(schema)) {
      const text = textOf(described);
      expect([`${place}/${field}`, text]).toEqual([`${place}/${field}`, expect.stringMatching(/\w.*\.$/)]);
    }
  }
});

test('every named schema has a description, and is used', () => {
  const text = JSON.stringify(document);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    expect([name, schema.description]).toEqual([name, expect.stringMatching(/\w.*\.$/)]);
    expect([name, text.includes(`"#/components/schemas/${name}"`)]).toEqual([name, true]);
  }
  for (const [, reference] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    expect(document.components.schemas).toHaveProperty(reference ?? '');
  }
});

test('only the Bearer scheme is declared; nothing speaks of the header of API keys', () => {
  expect(document.components.securitySchemes).toEqual({
    bearer: expect.objectContaining({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }),
  });
  for (const { path, operation } of operations) {
    const isPublic = /^\/api\/(Auth\/Login|Auth\/2fa\/verify|edge\/\w+)$/.test(path);
    expect([path, operation.security]).toEqual([path, isPublic ? [] : [{ bearer: [] }]]);
  }
  expect(JSON.stringify(document)).not.toMatch(/X-API-Key/i);
});

function statusesOf(id: string): string {
  return Object.keys(operationNamed(id).responses).join(' ');
}

test('every status with which an operation can respond follows from its declaration', () => {
  expect(statusesOf('authLogin')).toBe('200 400 401 413 415 500 503');
  expect(statusesOf('authLogout')).toBe('200 400 401 403 500 503');
  expect(statusesOf('authTwoFactorEnable')).toBe('200 400 401 403 409 413 415 500 503');
  expect(statusesOf('accountGet')).toBe('200 401 404 500 503');
  expect(statusesOf('propertyCreate')).toBe('201 400 401 409 413 415 500 503');
  expect(statusesOf('propertyList')).toBe('200 400 401 500 503');
  expect(statusesOf('propertyGet')).toBe('200 401 404 500 503');
  expect(statusesOf('propertyUpdate')).toBe('200 400 401 404 409 413 415 500 503');
  expect(statusesOf('edgeLogCreate')).toBe('200 400 401 409 413 415 500 503');
  expect(statusesOf('statisticsProperty')).toBe('200 400 401 404 500 503');
  expect(statusesOf('apiKeyRevoke')).toBe('200 400 401 404 500 503');
  expect(statusesOf('purgeCreate')).toBe('200 400 401 404 409 413 415 500 503');
});

function namesOf(id: string): readonly string[] {
  return operationNamed(id).parameters.map(({ name }) => name);
}

function headersOf(id: string, status: number): readonly string[] {
  return Object.keys(operationNamed(id).responses[status]?.headers ?? {});
}

test('Idempotency-Key, If-Match and the headers that respond to them stand where they work', () => {
  expect(namesOf('purgeCreate')).toEqual(['propertyId', 'wait', 'Idempotency-Key']);
  expect(namesOf('apiKeyCreate')).toEqual([]);
  expect(namesOf('authLogin')).toEqual([]);
  expect(namesOf('edgeLogCreate')).toEqual(['X-Edge-Token', 'Idempotency-Key']);
  expect(namesOf('propertyUpdate')).toEqual(['propertyId', 'If-Match']);
  expect(namesOf('propertyDelete')).toEqual(['propertyId', 'If-Match']);
  expect(namesOf('apiKeyRevoke')).toEqual(['apiKeyId']);
  expect(headersOf('propertyCreate', 201)).toEqual(['X-Request-Id', 'ETag', 'Idempotent-Replay']);
  expect(headersOf('propertyGet', 200)).toEqual(['X-Request-Id', 'ETag']);
  expect(headersOf('propertyList', 200)).toEqual(['X-Request-Id']);
  expect(headersOf('purgeCreate', 409)).toEqual(['X-Request-Id', 'Retry-After']);
  expect(headersOf('propertyUpdate', 409)).toEqual(['X-Request-Id']);
  expect(headersOf('accountGet', 503)).toEqual(['X-Request-Id', 'Retry-After']);
});

function fieldOf(component: string, ...path: readonly string[]): Schema {
  return path.reduce(
    (schema, name) => (schema.properties as Record<string, Schema>)[name] ?? {},
    document.components.schemas[component] ?? {},
  );
}

test('it says what not every edge applies, and where a total ends', () => {
  for (const name of ['CreateProperty', 'UpdateProperty', 'Property']) {
    for (const path of [
      ['origin'],
      ['status'],
      ['cache'],
      ['cache', 'ttlSeconds'],
      ['cache', 'queryString'],
    ]) {
      expect([name, path, fieldOf(name, ...path).description]).toEqual([
        name,
        path,
        expect.stringContaining('Applied by edges that the API configures.'),
      ]);
    }
  }
  for (const component of ['CreateRule', 'UpdateRule', 'Rule'])
    expect(document.components.schemas[component]?.description).toContain('Applied by edges');
  expect(operationNamed('purgeList').description).toContain('10,000');
});

test('purge values can be given as an array or in one string', () => {
  const variants = document.components.schemas.PurgeRequest?.oneOf as readonly Schema[];
  const forms = variants.flatMap(({ properties }) =>
    Object.entries(properties as Record<string, Schema>)
      .filter(([name]) => !['type', 'soft'].includes(name))
      .map(([name, { oneOf }]) => [name, (oneOf as readonly Schema[]).map(({ type }) => type)]),
  );
  expect(forms).toEqual(['urls', 'prefixes', 'tags', 'hostnames'].map((name) => [name, ['array', 'string']]));
});

test('a field with a default need not be sent, and its description says the default', () => {
  const created = document.components.schemas.CreateProperty;
  expect(created?.required).toEqual(['name', 'hostnames', 'origin']);
  expect(fieldOf('CreateProperty', 'status')).toMatchObject({
    description: expect.stringContaining('Default: "active".'),
  });
  expect(JSON.stringify(document.components.schemas)).not.toContain('"default":');
});

test('what a patch can clear may be null', () => {
  expect(fieldOf('UpdateProperty', 'status')).toMatchObject({
    nullable: true,
    enum: ['active', 'paused', null],
  });
  expect(fieldOf('UpdateProperty', 'name')).not.toHaveProperty('nullable');
  const patch = ['components', 'schemas', 'UpdateProperty'];
  expect(describedSchemas().faults(patch, { origin: { hostHeader: null } })).toEqual([]);
});
