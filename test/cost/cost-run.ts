import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { physicalQueueName } from '../../infra/definition/physical-names.ts';
import { DataDirectory } from '../../infra/local/host/data-directory.ts';
import { type LocalRun, startLocalRun } from '../../infra/local/local-run.ts';
import { identify, queueUrl } from '../../infra/local/template/identities.ts';
import { Template } from '../../infra/local/template/template.ts';
import { buildApp } from '../../infra/synthesize.ts';
import { createApiKey } from '../../shared/account/account-api-key-table.ts';
import { hashApiKey } from '../../shared/auth/api-key.ts';
import { useApiKey } from '../../shared/auth/api-key-table.ts';
import { removeEdge } from '../../shared/edge/edge-table.ts';
import { AwsProxy } from '../support/aws-proxy.ts';
import { FakeCloudFront } from '../support/fake-cloudfront.ts';
import { grantsByFunction } from '../support/grants.ts';
import { Meter } from './meter.ts';

export const stackName = 'CdnManagement';
export const distribution = 'E2QWRUHAPOMQZL';
const keyCount = 200;
const spareKeyCount = 20;

/** A local run whose purge queue is left to the scenarios, with everything counted. */
export interface CostRun extends LocalRun {
  readonly meter: Meter;
  readonly aws: AwsProxy;
  readonly cloudfront: FakeCloudFront;
  /** As it would be deployed. */
  readonly template: Template;
  readonly purgeQueueUrl: string;
  /** Keys of the demo account, enough that each is used once a second or more rarely. */
  readonly keys: readonly string[];
  /** For what is not counted. */
  readonly spareKeys: readonly string[];
}

/** Does something with such a run, in a folder that is gone afterwards. */
export async function withCostRun(spend: (run: CostRun) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-management-cost-'));
  const assembly = join(folder, 'cdk.out');
  const cloudfront = new FakeCloudFront();
  cloudfront.distributions.add(distribution);
  await cloudfront.start();
  const template = await synthesize(folder, assembly);
  const meter = new Meter();
  const aws = new AwsProxy(grantsByFunction(assembly));
  aws.undelayed = '-invalidation';
  const run = await startLocalRun({
    assembly,
    stackName,
    directory: DataDirectory.open(join(folder, 'data')),
    port: 0,
    edgePort: 0,
    makeEnvironment: meter.makeEnvironment,
    interpose: (endpoints) => aws.interpose({ ...endpoints, cloudfront: cloudfront.url }),
  });
  try {
    await removeEdge('embedded');
    const keys = await makeKeys(run, keyCount);
    const spareKeys = await makeKeys(run, spareKeyCount);
    const purgeQueueUrl = queueUrl(physicalQueueName(stackName, 'purge'));
    await spend({ ...run, meter, aws, cloudfront, template, purgeQueueUrl, keys, spareKeys });
  } finally {
    await run.stop();
    await Promise.all([aws.stop(), cloudfront.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
  if (aws.denied.length > 0) throw new Error(`Roles have refused: ${aws.denied.join(', ')}`);
}

/** Each used once, since the note of the last use makes an item larger only then. */
async function makeKeys({ accountId }: LocalRun, count: number): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { key } = await createApiKey(accountId, `Key ${index}`);
    await useApiKey(hashApiKey(key), new Date());
    keys.push(key);
  }
  return keys;
}

/** @returns the template before the purge queue's event source is taken out of the assembly */
async function synthesize(folder: string, assembly: string): Promise<Template> {
  process.env.CDK_VALIDATION = 'false';
  const options = { cloudFrontDistributions: distribution };
  (await buildApp({ bundles: join(folder, 'bundles'), assembly, options })).synth();
  const path = join(assembly, `${stackName}.template.json`);
  const template = new Template(path, identify, {});
  const { Resources, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as { Resources: object };
  const isPurgeSource = (id: string): boolean => /^PurgeConsumerMessages/.test(id);
  const left = Object.entries(Resources).filter(([id]) => !isPurgeSource(id));
  if (left.length !== Object.keys(Resources).length - 1)
    throw new Error('The template has no one event source of the purge queue');
  writeFileSync(path, JSON.stringify({ ...rest, Resources: Object.fromEntries(left) }));
  return template;
}
