import { expect, test } from 'vitest';
import type { EdgePurge } from '../../../shared/edge/driver.ts';
import type { Edge } from '../../../shared/edge/edge.ts';
import { nginx } from '../../../shared/edge/nginx.ts';

/** Nobody listens there: what is refused is refused without asking. */
const edge: Edge = { id: 'away', driver: 'nginx', url: 'http://127.0.0.1:9', tier: 'edge', secret: 'geheim' };
const purge: EdgePurge = { type: 'url', soft: false, hostnames: ['www.shop.example'], values: ['/'] };

test.each(['all', 'prefix', 'tag', 'hostname'] as const)('a purge by %s is refused', async (type) => {
  await expect(nginx.purge(edge, { ...purge, type })).rejects.toMatchObject({
    name: 'EdgeFailure',
    kind: 'refused',
    message: `nginx cannot purge by ${type}, only by url`,
  });
});

test('a soft purge is refused', async () => {
  await expect(nginx.purge(edge, { ...purge, soft: true })).rejects.toMatchObject({
    name: 'EdgeFailure',
    kind: 'refused',
    message: 'nginx cannot mark content stale, only remove it',
  });
});

test('a purge that it could do finds the edge away', async () => {
  await expect(nginx.purge(edge, purge)).rejects.toMatchObject({ name: 'EdgeFailure', kind: 'unreachable' });
});
