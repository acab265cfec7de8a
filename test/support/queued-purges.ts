import type { TestRun } from './test-run.ts';

/** How many purges were put into the queue, or were meant to be. What tells edges of configuration may come late. */
export function queuedPurges({ aws }: TestRun): number {
  const sent = aws.calls.filter(({ operation }) => operation === 'sqs:SendMessage');
  return sent.filter(({ functionName }) => functionName.endsWith('-purge-create')).length;
}
