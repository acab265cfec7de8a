import { kebabCase, namesOf } from '../../../shared/ground/names.ts';
import { type QueueName, queues } from '../../../shared/ground/resources.ts';
import type { Queues } from '../queues.ts';
import { type Figure, fiveMinutes } from './figure.ts';

interface Waiting {
  /** Longer than messages are put off on purpose. */
  readonly tooOldSeconds: number;
  readonly meaning: string;
}

const waiting: Readonly<Record<QueueName, Waiting>> = {
  purge: {
    tooOldSeconds: 300,
    meaning: 'Purges wait for minutes: their consumer fails, or does not keep up.',
  },
  catchUp: {
    tooOldSeconds: 900,
    meaning: 'Edges that are back do not get what they have missed: the catch-up fails, or does not keep up.',
  },
  invalidation: {
    tooOldSeconds: 900,
    meaning: 'Purges for CloudFront wait: their consumer fails, or does not keep up.',
  },
  configNotification: {
    tooOldSeconds: 300,
    meaning:
      'Edges are not told of changes, and find them with their next poll only: their notifier fails, or does not keep up.',
  },
};

/** How long work waits, and what was given up. */
export function queueFigures(created: Queues): readonly Figure[] {
  return namesOf(queues).flatMap((name) => [oldestMessage(name, created), deadLetters(name, created)]);
}

function oldestMessage(name: QueueName, created: Queues): Figure {
  return {
    name: `oldest-${kebabCase(name)}`,
    graph: 'Age of the oldest message, in seconds',
    metric: created.get(name).metricApproximateAgeOfOldestMessage(fiveMinutes),
    threshold: waiting[name].tooOldSeconds,
    meaning: waiting[name].meaning,
    command: 'status',
  };
}

function deadLetters(name: QueueName, created: Queues): Figure {
  return {
    name: `dead-letters-${kebabCase(name)}`,
    graph: 'Dead letters',
    metric: created.deadLetters(name).metricApproximateNumberOfMessagesVisible(fiveMinutes),
    threshold: 1,
    meaning: `Work was given up after ${queues[name].maxReceiveCount} tries, and is kept for 14 days. Once its cause is gone, purge replay tries it again.`,
    command: 'purge failed',
  };
}
