import { addEdge, removeEdge } from '../../../shared/edge/edge-table.ts';
import { type CostRun, distribution } from '../cost-run.ts';
import { type Measured, measure } from '../measure.ts';
import { invalidationPolls } from '../prices.ts';
import { Site } from '../site.ts';

/** Purges of one URL each, on a CloudFront distribution that is the only edge. */
export async function measureDistribution(run: CostRun): Promise<readonly Measured[]> {
  const site = await Site.makeBusy(run);
  run.cloudfront.pollsUntilDone = invalidationPolls;
  return [
    await measurePasses(run, site, { name: 'purges on CloudFront', isSinglePass: false }),
    await measurePasses(run, site, { name: 'purges on CloudFront, --single-pass', isSinglePass: true }),
  ];
}

async function measurePasses(
  run: CostRun,
  site: Site,
  { name, isSinglePass }: { readonly name: string; readonly isSinglePass: boolean },
): Promise<Measured> {
  const edge = { id: 'cdn', driver: 'cloudfront', tier: 'edge', secret: undefined } as const;
  const url = `cloudfront:${distribution}`;
  await addEdge({ ...edge, url, ...(isSinglePass && { isSinglePass }) }, 'hash');
  const measured = await measure(run, {
    name,
    count: 1,
    work: () => site.purgeOneByOne(run.keys.slice(0, 1)),
  });
  await removeEdge(edge.id);
  return measured;
}
