import { expect, test } from 'vitest';
import { eventSourceRequests } from './billed.ts';
import { charge, monthlyCharge, scaled, total } from './charge.ts';
import { statement } from './statement.ts';
import type { Usage } from './usage.ts';

const million = 1_000_000;
const gigabyte = 2 ** 30;

const nothing: Usage = {
  apiRequests: 0,
  functions: {},
  edgeRequests: 0,
  logLines: 0,
  writeUnits: 0,
  readUnits: 0,
  storedBytes: 0,
  sqsRequests: 0,
  kmsRequests: 0,
  secretRequests: 0,
  logBytes: 0,
  sentBytes: 0,
  invalidationPaths: 0,
};

test.each<[item: string, usage: Partial<Usage>, dollars: number]>([
  ['API Gateway', { apiRequests: million }, 3.5],
  ['DynamoDB', { writeUnits: 4 * million, readUnits: 2 * million }, 2.75],
  ['Storage', { storedBytes: gigabyte }, 0.45],
  ['SQS', { sqsRequests: 3 * million }, 1.2],
  ['Logs', { logBytes: gigabyte }, 0.5],
  ['Egress', { sentBytes: gigabyte }, 0.09],
  ['KMS, secrets', { kmsRequests: 10_000, secretRequests: 10_000 }, 0.08],
  ['CloudFront', { invalidationPaths: 2 * million }, 10_000],
])('%s of %j is $%d, and nothing else costs anything', (item, usage, dollars) => {
  const charged = charge({ ...nothing, ...usage });
  expect(charged[item]).toBeCloseTo(dollars, 6);
  expect(total(charged)).toBeCloseTo(dollars, 6);
});

test('a call of Lambda costs its request and its milliseconds by its memory, messages and edges', () => {
  const authorizer = { calls: million, messages: 0, memoryMegabytes: 512 };
  // 0.20 and 12 ms of half a gigabyte.
  expect(charge({ ...nothing, functions: { authorizer } }).Lambda).toBeCloseTo(0.28, 4);
  const consumer = { calls: million, messages: 10 * million, memoryMegabytes: 1024 };
  const functions = { 'purge-consumer': consumer };
  // 0.20, and 40 ms, ten times 4 and twenty times 0.3 of a gigabyte.
  expect(charge({ ...nothing, functions, edgeRequests: 20 * million }).Lambda).toBeCloseTo(1.3467, 4);
  const unknown = { calls: 1, messages: 0, memoryMegabytes: 512 };
  expect(() => charge({ ...nothing, functions: { unknown } })).toThrow('no duration of unknown');
});

test('a month of keys, alarms and polling', () => {
  const standing = {
    keys: 2,
    secrets: 1,
    alarmMetrics: 18,
    customMetrics: 1,
    dashboards: 1,
    eventSources: 3,
  };
  const charged = monthlyCharge(standing);
  expect(charged).toMatchObject({ Keys: 2, Secret: 0.4, Alarms: 1.8, Metrics: 0.3, Dashboard: 3 });
  // Five connections of three queues, each asking every 20 s.
  expect(charged.Polling).toBeCloseTo(0.7776, 6);
});

test('the statement shows what costs at least a cent, the total and the goal', () => {
  const dollars = scaled(charge({ ...nothing, apiRequests: 200, logBytes: 1 }), 200, million);
  expect(statement('A million', [{ name: 'purges', dollars, goal: 3 }])).toBe(
    '| A million | API Gateway | Total | Goal |\n| --- | --: | --: | --: |\n| purges | 3.50 | 3.50 | 3.00 |\n',
  );
});

test('SQS bills 64 KB of what is sent or received as a request, and ten messages as one', () => {
  expect(eventSourceRequests([])).toBe(0);
  expect(eventSourceRequests(['{}'])).toBe(2);
  expect(eventSourceRequests(Array.from({ length: 11 }, () => '{}'))).toBe(4);
  expect(eventSourceRequests(['x'.repeat(65 * 1024)])).toBe(3);
});
