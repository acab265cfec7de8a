import { namesOf } from '../../../shared/ground/names.ts';
import { queues as definitions, type QueueName } from '../../../shared/ground/resources.ts';
import { physicalDeadLetterQueueName, physicalQueueName } from '../../definition/physical-names.ts';
import { queuePolicy } from '../aws/queue-policy.ts';
import type { Check } from './check.ts';

const deadLetterSeconds = 14 * 24 * 3600;

export const queues: Check = {
  name: 'queues',
  run: async ({ stack }) => {
    const names = namesOf(definitions);
    const faults = (await Promise.all(names.map((name) => faultsOf(stack, name)))).flat();
    if (faults.length > 0) throw new Error(`${faults.join('; ')}. Somebody has changed it: deploy again.`);
    return `${names.length} queues hide messages in hand for long enough, and give up into dead-letter queues that keep them.`;
  },
};

async function faultsOf(stack: string, name: QueueName): Promise<readonly string[]> {
  const queue = physicalQueueName(stack, name);
  const deadLetterQueue = physicalDeadLetterQueueName(stack, name);
  const { visibilitySeconds, maxReceiveCount } = definitions[name];
  const [policy, deadLetters] = await Promise.all([queuePolicy(queue), queuePolicy(deadLetterQueue)]);
  const { redrive } = policy;
  return [
    ...(policy.visibilitySeconds < visibilitySeconds
      ? [`${queue} hides messages for ${policy.visibilitySeconds} s, not ${visibilitySeconds}`]
      : []),
    ...(redrive?.deadLetterQueue === deadLetterQueue && redrive.maxReceiveCount >= maxReceiveCount
      ? []
      : [`${queue} does not give up into ${deadLetterQueue} after ${maxReceiveCount} tries`]),
    ...(deadLetters.retentionSeconds < deadLetterSeconds
      ? [`${deadLetterQueue} keeps messages for ${deadLetters.retentionSeconds} s, not ${deadLetterSeconds}`]
      : []),
  ];
}
