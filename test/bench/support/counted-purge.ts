import { createApiKey } from '../../../shared/account/account-api-key-table.ts';
import { ApiClient } from '../../support/api-client.ts';
import type { AwsCall } from '../../support/aws-calls.ts';
import type { AwsProxy } from '../../support/aws-proxy.ts';
import type { Benchmark, Measured } from './benchmark.ts';
import { type CountedRun, withCountedRun } from './counted-run.ts';
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

/** Something that is counted of a purge, against the same where the authorizer reads the key and then writes its last use. */
export function countedBenchmark({ unit, goal, count }: Setting): Benchmark {
  return { unit, goal, run: () => compare(count) };
}

function compare(count: Setting['count']): Promise<Measured> {
  return withCountedRun(async (run) => {
    const { aws } = run;
    const twin = new ReadThenWrite(run.dynamodb);
    const ofPurge = () => callsOf(aws, 'CdnManagement-purge-create');
    return interleaved(
      rounds,
      async () => {
        await purgeWithNewKey(run);
        return count({ authorizer: callsOf(aws, 'CdnManagement-authorizer'), purge: ofPurge() });
      },
      async () => {
        await twin.authenticate(await purgeWithNewKey(run));
        return count({ authorizer: callsOf(aws, ReadThenWrite.caller), purge: ofPurge() });
      },
    );
  });
}

/** With one that was not used in this second, whose use is noted therefore. */
async function purgeWithNewKey({ aws, baseUrl, accountId, propertyId }: CountedRun): Promise<string> {
  const { key } = await createApiKey(accountId, 'Counted');
  aws.calls.length = 0;
  const path = `/api/property/${propertyId}/purge`;
  const { status, text } = await new ApiClient(baseUrl, key).post(path, { type: 'all' });
  if (status !== 200) throw new Error(text);
  return key;
}

function callsOf(aws: AwsProxy, caller: string): readonly AwsCall[] {
  return aws.calls.filter(({ functionName }) => functionName === caller);
}
