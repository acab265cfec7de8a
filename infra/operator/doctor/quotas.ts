import { namesOf } from '../../../shared/ground/names.ts';
import { queues } from '../../../shared/ground/resources.ts';
import { consumerConcurrency } from '../../definition/consumer-concurrency.ts';
import { unreservedConcurrency } from '../aws/concurrency-quota.ts';
import type { Check } from './check.ts';

/** A thousand requests a second, of 50 ms each. */
const forRequests = 50;

const needed = namesOf(queues).reduce((sum, name) => sum + consumerConcurrency(queues[name]), forRequests);

export const quotas: Check = {
  name: 'quotas',
  run: async ({ localRun }) => {
    if (localRun)
      return `Not asked: this machine has no quota. A stack needs ${needed} concurrent executions.`;
    const unreserved = await unreservedConcurrency();
    if (unreserved >= needed)
      return `Lambda runs ${unreserved} executions at a time that no function has reserved; ${needed} are needed.`;
    throw new Error(
      `Lambda runs ${unreserved} executions at a time that no function has reserved, and ${needed} are needed, ${forRequests} of them for requests. Ask in Service Quotas for more concurrent executions.`,
    );
  },
};
