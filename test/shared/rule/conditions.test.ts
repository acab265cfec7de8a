import { expect, test } from 'vitest';
import { compileRules } from '../../../shared/rule/compiled-rule.ts';
import { conditionTest } from '../../../shared/rule/conditions.ts';
import type { EvaluatedRequest } from '../../../shared/rule/evaluated-request.ts';
import { CreateRule } from '../../../shared/rule/rule.ts';
import { testedRequest } from '../../../shared/rule/test-request.ts';

const request = testedRequest(
  {
    url: 'HTTPS://WWW.Example.com:8443//Shop/%c3%bcb%65r///Photo.JP%47?tag=a&tag=B&q=x+y&empty#part',
    method: 'get',
    headers: {
      'X-Kind': 'Mobile',
      'x-kind': 'Second',
      Cookie: 'Session=Abc=1; session=low; lone',
      Host: 'other.example',
      host: 'lower.example',
    },
  },
  ['www.example.com'],
);

/** Whether a rule of this one condition matches. */
function outcomeFor(evaluated: EvaluatedRequest, condition: object): boolean {
  const [compiled] = compileRules([
    {
      ...CreateRule.parse({ name: 'Rule', conditions: [condition], actions: [{ type: 'forceHttps' }] }),
      ...{ id: 'r', priority: 0, version: 1, createdAt: '', updatedAt: '' },
    },
  ]);
  return compiled?.conditions.every(conditionTest(evaluated)) ?? false;
}

function holds(condition: object): boolean {
  return outcomeFor(request, condition);
}

test.each([
  ['path', 'equals', '/Shop/%C3%BCber/Photo.JPG', true],
  ['path', 'equals', '/Shop/über/Photo.JPG', true],
  ['path', 'equals', '/Shop/%c3%bcber/Photo.JPG', true],
  ['path', 'equals', '/%53hop//über/Photo%2eJPG', true],
  ['path', 'contains', '//über', true],
  ['path', 'contains', '//', false],
  ['path', 'suffix', '//', false],
  ['path', 'wildcard', '*//*', false],
  ['path', 'equals', '/Shop/über%2FPhoto.JPG', false],
  ['path', 'equals', '/shop/über/photo.jpg', false],
  ['path', 'prefix', '/Shop', true],
  ['path', 'prefix', 'Shop', false],
  ['path', 'suffix', 'Photo.JPG', true],
  ['path', 'contains', '?tag', false],
  ['path', 'wildcard', '/Shop/*.J?G', true],
  ['path', 'wildcard', '/Shop/*/*/*', false],
  ['host', 'equals', 'www.EXAMPLE.com', true],
  ['host', 'suffix', '.Example.Com', true],
  ['host', 'equals', 'other.example', false],
  ['scheme', 'equals', 'HTTPS', true],
  ['scheme', 'equals', 'http', false],
  ['method', 'equals', 'GET', true],
  ['method', 'equals', 'POST', false],
  ['extension', 'equals', 'jpg', true],
  ['extension', 'equals', '.Jpg', true],
  ['extension', 'wildcard', 'JP*', true],
  ['extension', 'equals', '%6Apg', true],
  ['extension', 'equals', 'png', false],
])('%s %s %j: %j, and inverted the opposite', (field, operator, value, expected) => {
  const condition = { field, operator, values: ['no such', value] };
  expect([holds(condition), holds({ ...condition, negate: true })]).toEqual([expected, !expected]);
  expect(holds({ ...condition, negate: false })).toBe(expected);
});

test.each([
  ['query', 'tag', 'a', true],
  ['query', 'tag', 'B', true],
  ['query', 'tag', 'b', false],
  ['query', 'Tag', 'a', false],
  ['query', 'q', 'x y', true],
  ['header', 'x-KIND', 'Mobile', true],
  ['header', 'X-Kind', 'Second', true],
  ['header', 'X-Kind', 'mobile', false],
  ['header', 'host', 'www.example.com', true],
  ['header', 'host', 'lower.example', false],
  ['header', 'X-Other', 'Mobile', false],
  ['cookie', 'Session', 'Abc=1', true],
  ['cookie', 'session', 'low', true],
  ['cookie', 'session', 'Abc=1', false],
])('%s %s equals %j: %j', (field, name, value, expected) => {
  expect(holds({ field, name, operator: 'equals', values: [value] })).toBe(expected);
});

test.each([
  [{ field: 'query', name: 'empty' }, true],
  [{ field: 'query', name: 'Empty' }, false],
  [{ field: 'header', name: 'COOKIE' }, true],
  [{ field: 'header', name: 'Accept' }, false],
  [{ field: 'cookie', name: 'lone' }, true],
  [{ field: 'cookie', name: 'other' }, false],
  [{ field: 'extension' }, true],
  [{ field: 'path' }, true],
])('%j exists: %j', (condition, expected) => {
  const exists = { ...condition, operator: 'exists' };
  expect([holds(exists), holds({ ...exists, negate: true })]).toEqual([expected, !expected]);
});

test.each(['/', '/a.b/c', '/a.', '/v1.2/'])('the path %s has no extension', (path) => {
  const plain = testedRequest({ url: `https://www.example.com${path}`, method: 'GET', headers: {} }, [
    'www.example.com',
  ]);
  expect(outcomeFor(plain, { field: 'extension', operator: 'exists' })).toBe(false);
});
