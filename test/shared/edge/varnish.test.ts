import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostKey } from '../../../shared/edge/cache-keys.ts';
import { varnish } from '../../../shared/edge/varnish.ts';
import { RecordingEdge } from '../../support/recording-edge.ts';

const server = new RecordingEdge();
beforeAll(() => server.start());
afterAll(() => server.stop());

function edge() {
  return { id: 'e', driver: 'varnish', tier: 'edge', url: server.url, secret: 's'.repeat(32) } as const;
}

function range(count: number, text: string): string[] {
  return Array.from({ length: count }, (_, number) => `${text}${number}`);
}

const hostnames = range(11, 'host').map((name) => `${name}.example.com`);

test('a purge of more keys than an edge can take in its time is one of the whole property, and says so', async () => {
  const purge = { type: 'tag', soft: false, hostnames, values: range(1_000, 'tag') } as const;
  expect(await varnish.prepare(purge)(edge())).toMatchObject({ coveredBy: 'all' });
  expect([...server.purged.keys()].sort()).toEqual(hostnames.map(hostKey).sort());
});

test('up to 10,000 keys everything is purged as it is named', async () => {
  server.purged.clear();
  const purge = {
    type: 'tag',
    soft: false,
    hostnames: hostnames.slice(1),
    values: range(1_000, 'tag'),
  } as const;
  expect(await varnish.prepare(purge)(edge())).not.toHaveProperty('coveredBy');
  expect(server.purged.size).toBe(10_000);
});

test('an edge that responds each request in time but all of them too late has failed', async () => {
  server.mood = () => 'slow';
  server.slowMilliseconds = 600;
  const long = range(1_000, `${'t'.repeat(240)}-`);
  const purge = { type: 'tag', soft: false, hostnames: hostnames.slice(1), values: long } as const;
  await expect(varnish.prepare(purge)(edge())).rejects.toMatchObject({
    name: 'EdgeFailure',
    kind: 'unreachable',
    message: expect.stringContaining('10000 ms'),
  });
});
