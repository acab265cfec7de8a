import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { cloudfront } from '../../../shared/edge/cloudfront.ts';
import type { EdgePurge } from '../../../shared/edge/driver.ts';
import type { AsynchronousEdge } from '../../../shared/edge/edge.ts';
import { type CloudFrontFault, FakeCloudFront } from '../../support/fake-cloudfront.ts';

const secretKey = 'not-to-be-told';
const fake = new FakeCloudFront();

beforeAll(async () => {
  await fake.start();
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFRONT', fake.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIATEST');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretKey);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await fake.stop();
});
afterEach(() => {
  fake.fault = undefined;
});

let count = 0;

/** A distribution of its own, with nothing in progress. */
function newEdge(): AsynchronousEdge {
  count += 1;
  const distribution = `E2QWRUHAP${count}`;
  fake.distributions.add(distribution);
  return {
    id: 'cdn',
    driver: 'cloudfront',
    url: `cloudfront:${distribution}`,
    tier: 'edge',
    secret: undefined,
  };
}

function urls(...values: string[]): EdgePurge {
  return {
    type: 'url',
    soft: false,
    hostnames: ['www.example.com'],
    values,
  };
}

async function start(edge: AsynchronousEdge, purge: EdgePurge, reference: string): Promise<string> {
  return cloudfront.prepare(purge).start(edge, reference);
}

const everything: EdgePurge = { ...urls(), type: 'all' };

function prefixes(values: readonly string[]): EdgePurge {
  return { ...urls(...values), type: 'prefix' };
}

function failure(kind: string, message = /./) {
  return {
    name: 'EdgeFailure',
    kind,
    message: expect.stringMatching(message),
  };
}

test('a purge is started, is in progress, and is done', async () => {
  const edge = newEdge();
  const handle = await start(edge, urls('/a', 'https://www.example.com/b?c=1'), 'one');
  expect(fake.invalidations.at(-1)).toMatchObject({ paths: ['/a', '/b', '/b?c=1'] });
  expect([await cloudfront.isDone(edge, handle), await cloudfront.isDone(edge, handle)]).toEqual([
    false,
    true,
  ]);
});

test('the same purge with the same reference starts nothing twice', async () => {
  const edge = newEdge();
  const first = await start(edge, urls('/b', '/a'), 'same');
  const before = fake.invalidations.length;
  expect(await start(edge, urls('/a', '/b'), 'same')).toBe(first);
  expect(fake.invalidations).toHaveLength(before);
});

test('other paths with the same reference are work of their own', async () => {
  const edge = newEdge();
  const first = await start(edge, urls('/a'), 'same');
  expect(await start(edge, urls('/b'), 'same')).not.toBe(first);
});

test('what one purge names fits into what CloudFront takes at a time', async () => {
  const edge = newEdge();
  const many = Array.from({ length: 1_000 }, (_, index) => `/section-${index % 40}/page-${index}`);
  const handle = await start(edge, prefixes(many), 'prefixes');
  await cloudfront.isDone(edge, handle);
  await start(edge, urls(...many.map((path) => `${path}?page=1`)), 'urls');
  expect(fake.invalidations.at(-1)?.paths).toHaveLength(2_000);
});

test('while CloudFront works on all that it takes, a purge waits, and comes through afterwards', async () => {
  const edge = newEdge();
  const dirs = Array.from({ length: 15 }, (_, index) => `/${index}/`);
  const handle = await start(edge, prefixes(dirs), 'first');
  const waiting = () => start(edge, everything, 'second');
  await expect(waiting()).rejects.toMatchObject(failure('unreachable', /at work/));
  while (!(await cloudfront.isDone(edge, handle)));
  expect(await waiting()).not.toBe(handle);
});

test.each([
  { ...urls('a'), type: 'tag' as const },
  { ...urls('/a'), soft: true },
  { ...everything, soft: true },
])('$type with soft $soft is refused before CloudFront is asked', async (purge) => {
  const edge = newEdge();
  fake.fault = 'hang';
  await expect(start(edge, purge, 'one')).rejects.toMatchObject(failure('refused'));
});

test('the check changes nothing, and says what it may not see', async () => {
  const edge = newEdge();
  const before = fake.invalidations.length;
  await cloudfront.check(edge);
  expect(fake.invalidations).toHaveLength(before);
  fake.foreign.add('EFOREIGN00');
  const foreign = { ...edge, url: 'cloudfront:EFOREIGN00' };
  await expect(cloudfront.check(foreign)).rejects.toMatchObject(failure('denied', /cloudFrontDistributions/));
  const unknown = { ...edge, url: 'cloudfront:EUNKNOWN00' };
  await expect(cloudfront.check(unknown)).rejects.toMatchObject(failure('denied', /no such distribution/));
  const nonsense = { ...edge, url: 'https://10.0.0.5' };
  await expect(cloudfront.check(nonsense)).rejects.toMatchObject(failure('denied', /names no distribution/));
});

const faults: [CloudFrontFault, string][] = [
  [{ status: 400, code: 'Throttling' }, 'unreachable'],
  [{ status: 429, code: 'SlowDown' }, 'unreachable'],
  [{ status: 500, code: 'InternalFailure' }, 'unreachable'],
  [{ status: 503, code: 'ServiceUnavailable' }, 'unreachable'],
  ['refuse', 'unreachable'],
  ['hang', 'unreachable'],
  ['hang in the response', 'unreachable'],
  [{ status: 403, code: 'AccessDenied' }, 'denied'],
  [{ status: 403, code: 'InvalidClientTokenId' }, 'denied'],
  [{ status: 403, code: 'SignatureDoesNotMatch' }, 'denied'],
  [{ status: 404, code: 'NoSuchDistribution' }, 'denied'],
  [{ status: 400, code: 'InvalidArgument' }, 'refused'],
  [{ status: 413, code: 'BatchTooLarge' }, 'refused'],
];

test.each(faults)('%j is a failure of kind %s in every call', async (fault, kind) => {
  const edge = newEdge();
  fake.fault = fault;
  const calls = [start(edge, everything, 'one'), cloudfront.isDone(edge, 'I1'), cloudfront.check(edge)];
  for (const { status, reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
    expect([status, reason]).toEqual(['rejected', expect.objectContaining(failure(kind))]);
    expect(String(reason)).not.toMatch(new RegExp(`${secretKey}|AKIATEST|arn:aws`));
  }
});

test('an invalidation that CloudFront does not know is not waited for', async () => {
  await expect(cloudfront.isDone(newEdge(), 'INONE')).rejects.toMatchObject(failure('refused'));
});
