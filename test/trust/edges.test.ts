import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inParallel } from '../../shared/ground/parallel.ts';
import { type Bench, secret, startBench } from '../infra/edge/support/bench.ts';
import type { Ask } from '../infra/edge/support/edge-client.ts';
import { volume } from '../support/volume.ts';
import { AttackedEdge } from './support/edges/attacked-edge.ts';
import { edgeAttack } from './support/edges/edge-attack.ts';
import { kits } from './support/edges/edge-kits.ts';
import { hostileTags } from './support/edges/hostile-tags.ts';
import { purgeForgery } from './support/edges/purge-forgery.ts';
import { ReflectingOrigin } from './support/edges/reflecting-origin.ts';
import { drawn } from './support/seed.ts';
import { Tally } from './support/tally.ts';

const atOnce = 16;

/** Now and then, whether the edge still does what it is for. */
const every = 50;

/** Folders of what stands beside an edge, or only leads to one. */
const noKits = ['agent', 'shipping', 'varnish'];

test('every kit is attacked', () => {
  const folders = readdirSync('infra/edge', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !noKits.includes(entry.name))
    .map(({ name }) => name);
  expect(new Set(kits.map(({ folder }) => folder))).toEqual(new Set(folders));
});

for (const { kit, describe: describeKit } of kits)
  describeKit(`Attacks: ${kit.name}`, () => {
    let bench: Bench<ReflectingOrigin>;
    beforeAll(async () => {
      bench = await startBench(kit, new ReflectingOrigin());
    });
    afterAll(() => bench.stop());

    test('whatever visitors send, the others get what the origin has for them', async (context) => {
      const tally = new Tally('edges');
      const edge = new AttackedEdge(bench, tally, kit.refuses);
      const attacks = fc.sample(edgeAttack, drawn(volume(100, 4_000)));
      await inParallel([...attacks.entries()], atOnce, async ([number, { bytesFor, targetFor }]) => {
        const victim = { host: `victim-${number % 40}.example`, path: `/v/${number}` };
        const bytes = bytesFor(victim);
        await edge.attack(bytes);
        const page = { hostname: victim.host, target: victim.path };
        const target = targetFor(victim);
        const visits: readonly Ask[] = [
          page,
          { ...page, headers: { 'x-variant': 'b' } },
          { ...page, headers: { 'accept-language': 'b' } },
          { ...page, hostname: 'evil.example' },
          ...(/^\/[!-~]*$/.test(target) && target !== victim.path ? [{ ...page, target }] : []),
        ];
        for (const ask of visits) await edge.visit(ask, bytes);
      });
      tally.end(context);
    });

    test('a purge that is not the API’s removes nothing, and one of the API’s does', async (context) => {
      const tally = new Tally('edges');
      const edge = new AttackedEdge(bench, tally);
      const forgeries = fc.sample(purgeForgery, drawn(volume(150, 3_000)));
      await inParallel([...forgeries.entries()], atOnce, async ([number, makeForgery]) => {
        const victim = { host: `purged-${number % 40}.example`, path: `/p/${number}` };
        const page = { hostname: victim.host, target: victim.path };
        const { bytes, isRight } = makeForgery(victim, secret);
        await edge.store(page);
        for (const tier of edge.tiers) {
          const statuses = await edge.attack(bytes, tier);
          if (!isRight && statuses.includes('200')) tally.found('wrong', `${tier} obeys ${bytes}`);
        }
        await edge.expectStored(page, bytes);
        if (number % every === 0) await edge.purge(page);
      });
      tally.end(context);
    });

    test('whatever tags a page has, those of its own tenant purge it, and no other tenant’s', async (context) => {
      const tally = new Tally('edges');
      const edge = new AttackedEdge(bench, tally);
      const bystander = { hostname: 'bystander.example', target: '/' };
      await edge.store(bystander);
      const pages = fc.sample(hostileTags, drawn(volume(50, 1_000)));
      await inParallel([...pages.entries()], atOnce, ([number, page]) =>
        edge.tryTags({ hostname: `tags-${number}.example`, target: '/' }, page),
      );
      await edge.expectStored(bystander, 'purges of the tags of other tenants');
      tally.end(context);
    });
  });
