import type { LocalRun } from '../../../infra/local/local-run.ts';
import type { AwsCall } from '../../support/aws-calls.ts';
import { AwsProxy } from '../../support/aws-proxy.ts';
import { withLocalRun } from './local-run.ts';

/** A read unit has a fifth of a write unit's price. */
export const writeUnitsOfRead = 0.2;

/** What roles allow is the tests' concern. */
const anything = { has: () => true } as unknown as ReadonlySet<string>;

export interface CountedRun extends LocalRun {
  readonly aws: AwsProxy;
  /** Where calls of DynamoDB are counted. */
  readonly dynamodb: string;
}

/** Does something with a local run whose functions' calls of AWS are counted. */
export async function withCountedRun<Found>(measure: (run: CountedRun) => Promise<Found>): Promise<Found> {
  const aws = new AwsProxy({ get: () => anything });
  let dynamodb = '';
  const interpose: typeof aws.interpose = async (upstream) => {
    const endpoints = await aws.interpose(upstream);
    dynamodb = endpoints.dynamodb;
    return endpoints;
  };
  try {
    return await withLocalRun((run) => measure({ ...run, aws, dynamodb }), { interpose });
  } finally {
    await aws.stop();
  }
}

/** Reads and writes in units of a write, by their price. */
export function pricedUnitsOf(calls: readonly AwsCall[]): number {
  return calls.reduce((sum, call) => sum + call.writeUnits + call.readUnits * writeUnitsOfRead, 0);
}
