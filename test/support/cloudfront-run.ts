import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { makeApp } from '../../infra/synthesize.ts';
import type { FakeCloudFront } from './fake-cloudfront.ts';
import { startTestRun, type TestRun, type TestRunOptions } from './test-run.ts';

/** A run whose functions may invalidate the distribution; a given assembly must allow it. */
export async function startCloudFrontRun(
  fake: FakeCloudFront,
  distribution: string,
  { assembly = cloudFrontAssembly(distribution), ...options }: TestRunOptions = {},
): Promise<TestRun> {
  fake.distributions.add(distribution);
  await fake.start();
  const run = await startTestRun({ ...options, assembly, cloudfront: fake.url });
  run.aws.undelayed = '-invalidation';
  return run;
}

/** With the functions as they are bundled already. */
export function cloudFrontAssembly(distribution: string): string {
  const assembly = mkdtempSync(join(inject('folder'), 'cloudfront-'));
  const options = { cloudFrontDistributions: distribution };
  makeApp({ bundles: inject('bundles'), assembly, options }).synth();
  return assembly;
}

/** The edge that stands for a distribution. */
export function cloudFrontEdge(distribution: string) {
  const url = `cloudfront:${distribution}`;
  return { id: 'cdn', driver: 'cloudfront', tier: 'edge', secret: undefined, url } as const;
}
