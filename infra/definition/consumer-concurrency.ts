import type { QueueDefinition } from '../../shared/ground/resources.ts';

const longestConcurrency = 20;

/** How many environments of its function take a queue's messages at the same time. */
export function consumerConcurrency({ maxConcurrency = longestConcurrency }: QueueDefinition): number {
  return maxConcurrency;
}
