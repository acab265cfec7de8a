import { expect, test } from 'vitest';
import * as z from 'zod';
import { validate } from '../../../shared/http/validate.ts';

const Item = z.strictObject({ size: z.int('must be a whole number') }, 'must be an object');
const Name = z.string().regex(/^[\w-]+$/);
const Schema = z.strictObject(
  {
    name: z.string('must be a string').optional(),
    items: z.array(Item, 'must be an array').optional(),
    headers: z
      .record(Name, z.string('must be a string'), { error: () => 'must be a header name' })
      .optional(),
  },
  'must be a JSON object',
);

function faultOf(input: unknown): unknown {
  try {
    return validate(Schema, input, 'the body');
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

test.each([
  [{ name: 1 }, 'name must be a string'],
  [{ items: [{ size: 1 }, { size: 'x' }] }, 'items[1].size must be a whole number'],
  [{ headers: { Accept: 1 } }, 'headers.Accept must be a string'],
  [{ colour: 1 }, 'colour is not a field here'],
  [{ items: [{ size: 1, colour: 1 }] }, 'items[0].colour is not a field here'],
  [{ 'X-Kind': 1 }, 'a field with an unusual name is not known here'],
  [{ items: [{ size: 1, 'X-Kind': 1 }] }, 'a field of items[0] with an unusual name is not known here'],
  [{ headers: { 'X-Kind': 1 } }, 'a field of headers with an unusual name must be a string'],
  [{ headers: { 'X-Kind': 1, 'X-Size': 2 } }, 'a field of headers with an unusual name must be a string'],
  [{ headers: { 'X Kind': '' } }, 'a field of headers with an unusual name must be a header name'],
  [
    { items: [{ 'X-Kind': 1 }, { size: 'x' }] },
    'items[0].size, items[1].size must be a whole number; a field of items[0] with an unusual name is not known here',
  ],
  [[], 'the body must be a JSON object'],
])('%j: %s', (input, fault) => {
  expect(faultOf(input)).toBe(`Invalid request: ${fault}.`);
});

const Query = z.strictObject({ pageSize: z.string('must be given'), wait: z.string().optional() });

test.each([
  [{ pageSize: '1', foo: '1' }, 'foo is not a query parameter here'],
  [
    { pageSize: '1', WAIT: '1', waits: '' },
    'WAIT is not a query parameter here, but wait is; waits is not a query parameter here',
  ],
  [{ pagesize: '1' }, 'pageSize must be given; pagesize is not a query parameter here, but pageSize is'],
  [
    { pageSize: '1', svc_7Tq2vB9xLm4WzRk1NpYd3HsAbCd: '' },
    'a query parameter with an unusual name is not known here',
  ],
])('the query %j: %s', (input, fault) => {
  expect(() => validate(Query, input, 'the query')).toThrow(`Invalid request: ${fault}.`);
});
