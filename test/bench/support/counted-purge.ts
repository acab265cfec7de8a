import type { LocalRun } from '../../../infra/local/local-run.ts';
import { createApiKey } from '../../../shared/account/account-api-key-table.ts';
import { ApiClient } from '../../support/api-client.ts';
import type { AwsCall } from '../../support/aws-calls.ts';
import { AwsProxy } from '../../support/aws-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import type { Benchmark, Measured } from './benchmark.ts';
import { withLocalRun } from './local-run.ts';
import { interleaved } from './medians.ts';
import { ReadThenWrite } from './read-then-write.ts';

/** What was asked of AWS to find out who calls, and for the purge itself. */
export interface CountedPurge {
  readonly authorizer: readonly AwsCall[];
  readonly purge: readonly AwsCall[];
}

interface Setting {
  readonly unit: string;
  readonly goal: number;
  readonly count: (purge: CountedPurge) => number;
}

const rounds = 15;

/** What roles allow is the tests' concern. */
const anything = { has: () => true } as unknown as ReadonlySet<string>;

/** Something that is counted of a purge, against the same where the authorizer reads the key and then writes its last use. */
export function countedBenchmark({ unit, goal, count }: Setting): Benchmark {
  return { unit, goal, run: () => compare(count) };
}

async function compare(count: Setting['count']): Promise<Measured> {
  const aws = new AwsProxy({ get: () => anything });
  let endpoint = '';
  const interpose: typeof aws.interpose = async (upstream) => {
    const endpoints = await aws.interpose(upstream);
    endpoint = endpoints.dynamodb;
    return endpoints;
  };
  const measure = async (run: LocalRun): Promise<Measured> => {
    const twin = new ReadThenWrite(endpoint);
    const ofPurge = (): Promise<readonly AwsCall[]> => callsOf(aws, 'CdnManagement-purge-create', 3);
    return interleaved(
      rounds,
      async () => {
        await purgeWithNewKey(aws, run);
        const [authorizer, purge] = [await callsOf(aws, 'CdnManagement-authorizer', 1), await ofPurge()];
        return count({ authorizer, purge });
      },
      async () => {
        const key = await purgeWithNewKey(aws, run);
        await twin.authenticate(key);
        const [authorizer, purge] = [await callsOf(aws, ReadThenWrite.caller, 2), await ofPurge()];
        return count({ authorizer, purge });
      },
    );
  };
  const measured = await withLocalRun(measure, { interpose });
  await aws.stop();
  return measured;
}

/** With one that was not used in this second, whose use is noted therefore. */
async function purgeWithNewKey(aws: AwsProxy, run: LocalRun): Promise<string> {
  const { key } = await createApiKey(run.accountId, 'Counted');
  aws.calls.length = 0;
  const path = `/api/property/${run.propertyId}/purge`;
  const { status, text } = await new ApiClient(run.baseUrl, key).post(path, { type: 'all' });
  if (status !== 200) throw new Error(text);
  return key;
}

/** The proxy notes a call after the function has its response. */
function callsOf(aws: AwsProxy, caller: string, least: number): Promise<readonly AwsCall[]> {
  return eventually(
    async () => aws.calls.filter(({ functionName }) => functionName === caller),
    ({ length }) => length >= least,
  );
}
