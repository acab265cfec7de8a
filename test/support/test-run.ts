import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { physicalQueueName } from '../../infra/definition/physical-names.ts';
import { DataDirectory } from '../../infra/local/host/data-directory.ts';
import type { EnvironmentLimits, MakeEnvironment } from '../../infra/local/lambda/environments.ts';
import { type LocalRun, type LocalRunOptions, startLocalRun } from '../../infra/local/local-run.ts';
import { queueUrl } from '../../infra/local/template/identities.ts';
import { createApiKey } from '../../shared/account/account-api-key-table.ts';
import { createAccount } from '../../shared/account/account-table.ts';
import { namesOf } from '../../shared/ground/names.ts';
import { queues, queueVariable } from '../../shared/ground/resources.ts';
import { configDocument } from '../infra/edge/support/config-documents.ts';
import { ApiClient } from './api-client.ts';
import { AwsProxy } from './aws-proxy.ts';
import { type Grants, grantsByFunction } from './grants.ts';

export interface TestRun extends LocalRun {
  readonly aws: AwsProxy;
  /** Calls the API with the demo account's key. */
  readonly api: ApiClient;
  /** A second account with a key of its own. */
  readonly stranger: ApiClient;
  /** Everything that the run keeps. */
  readonly folder: string;
  /** Ends the run; fails when a function asked for more than its role allows. */
  end(): Promise<void>;
}

export interface TestRunOptions {
  /** Another cloud assembly than that without options. */
  readonly assembly?: string;
  /** Address of what stands in for CloudFront. */
  readonly cloudfront?: string;
  /** What functions run in; threads by default. */
  readonly makeEnvironment?: MakeEnvironment;
  /** What each function's role allows, by its physical name; as the assembly says by default. */
  readonly grants?: Grants;
}

/** The local run on free ports, on what the folder keeps. */
export function startRun(folder: string, options: Partial<LocalRunOptions> = {}): Promise<LocalRun> {
  return startLocalRun({
    assembly: inject('assembly'),
    stackName: 'CdnManagement',
    directory: DataDirectory.open(folder),
    port: 0,
    edgePort: 0,
    ...options,
  });
}

const environmentLimits: EnvironmentLimits = { mostInAll: 40, longestIdleMilliseconds: 600_000 };

/** Every host name from the run's origin: to be configured by the API costs time that most tests do not have. */
function servingAll(originUrl: () => string): NonNullable<LocalRunOptions['sites']> {
  return { find: () => configDocument({ origin: { url: originUrl() } }) };
}

/** The local run on free ports and a folder of its own, with every function held to its role. */
export async function startTestRun({
  assembly = inject('assembly'),
  cloudfront,
  makeEnvironment,
  grants = grantsByFunction(assembly),
}: TestRunOptions = {}): Promise<TestRun> {
  const folder = mkdtempSync(join(inject('folder'), 'run-'));
  const aws = new AwsProxy(grants);
  let originUrl = '';
  // What functions do, tests do in their own process too.
  for (const name of namesOf(queues))
    process.env[queueVariable(name)] = queueUrl(physicalQueueName('CdnManagement', name));
  const run = await startRun(folder, {
    assembly,
    sites: servingAll(() => originUrl),
    environmentLimits,
    makeEnvironment,
    interpose: (endpoints) => aws.interpose({ ...endpoints, cloudfront }),
  });
  ({ originUrl } = run);
  return {
    ...run,
    folder,
    aws,
    api: new ApiClient(run.baseUrl, run.apiKey),
    stranger: await makeStranger(run.baseUrl),
    end: async () => {
      await run.stop();
      await aws.stop();
      rmSync(folder, { recursive: true, force: true });
      expect(aws.denied).toEqual([]);
    },
  };
}

export async function makeStranger(baseUrl: string): Promise<ApiClient> {
  const { accountId } = await createAccount('Stranger');
  const { key } = await createApiKey(accountId, 'Stranger');
  return new ApiClient(baseUrl, key);
}
