import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { makeApp } from '../../infra/synthesize.ts';
import type { FakeCloudFront } from './fake-cloudfront.ts';
import { startTestRun, type TestRun, type TestRunOptions } from './test-run.ts';

/** A run whose functions may invalidate the distribution. */
export async function startCloudFrontRun(
  fake: FakeCloudFront,
  distribution: string,
  options: TestRunOptions = {},
): Promise<TestRun> {
  const assembly = mkdtempSync(join(inject('folder'), 'cloudfront-'));
  const allowed = { cloudFrontDistributions: distribution };
  makeApp({ bundles: inject('bundles'), assembly, options: allowed }).synth();
  fake.distributions.add(distribution);
  await fake.start();
  const run = await startTestRun({ ...options, assembly, cloudfront: fake.url });
  run.aws.undelayed = '-invalidation';
  return run;
}

/** The edge that stands for a distribution. */
export function cloudFrontEdge(distribution: string) {
  const url = `cloudfront:${distribution}`;
  return { id: 'cdn', driver: 'cloudfront', tier: 'edge', secret: undefined, url } as const;
}
