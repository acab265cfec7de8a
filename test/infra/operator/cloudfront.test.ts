import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FakeCloudFront } from '../../support/fake-cloudfront.ts';
import { json, operator } from '../../support/operator.ts';

const fake = new FakeCloudFront();

beforeAll(async () => {
  await fake.start();
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFRONT', fake.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await fake.stop();
});

const add = ['edge', 'add', '--id', 'cdn', '--driver', 'cloudfront', '--url', 'cloudfront:E2QWRUHAPOMQZL'];

test('a CloudFront edge: added without a secret, checked, listed beside others, removed', async () => {
  const edge = { id: 'cdn', driver: 'cloudfront', url: 'cloudfront:E2QWRUHAPOMQZL', tier: 'edge' };
  expect(await json(...add)).toEqual({
    ...edge,
    price: expect.stringContaining('$0.005'),
    token: expect.stringMatching(/^edge_/),
  });
  const unknown = await operator('edge', 'check', '--id', 'cdn');
  expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('no such distribution')]);
  fake.distributions.add('E2QWRUHAPOMQZL');
  const ok = { ok: true, detail: expect.any(String) };
  expect(await json('edge', 'check')).toEqual([
    { id: 'cdn', ...ok },
    { id: 'embedded', ...ok },
  ]);
  expect(await json('edge', 'list')).toContainEqual({
    ...edge,
    createdAt: expect.any(String),
    accounts: [],
    properties: [],
    widen: false,
    configuration: { from: 'edge', lagsSince: null },
    lagging: null,
    missed: null,
    todo: null,
  });
  expect(fake.invalidations).toEqual([]);
  await json('edge', 'remove', '--id', 'cdn');
});

test.each([
  [['--driver', 'varnish', '--url', 'cloudfront:E2QWRUHAPOMQZL'], /http:\/\/HOST/],
  [['--driver', 'cloudfront', '--url', 'https://d111111abcdef8.cloudfront.net'], /DISTRIBUTION_ID/],
  [['--driver', 'cloudfront', '--url', 'cloudfront:d111111abcdef8'], /DISTRIBUTION_ID/],
  [['--driver', 'cloudfront', '--url', 'cloudfront:E2QW/../X'], /DISTRIBUTION_ID/],
  [['--driver', 'cloudfront', '--url', 'cloudfront:E2QWRUHAPOMQZL', '--secret-file', 'x'], /no secret/],
])('%j is wrong usage', async (flags, reason) => {
  const { status, stdout, stderr } = await operator('edge', 'add', '--id', 'e', ...flags);
  expect([status, stdout, stderr.trimEnd().split('\n')]).toEqual([2, '', [expect.stringMatching(reason)]]);
});
