import type { TestRun } from './test-run.ts';

/** A transaction that meets eight in a row is given up: of so few, spread over many, none does. */
const mostConflicts = 20;

/** Every third transaction meets a conflict, until there were enough. @returns how many there were */
export function conflictEveryThird({ aws }: TestRun): () => number {
  let transactions = 0;
  let conflicts = 0;
  aws.fault = (operation) => {
    if (operation !== 'dynamodb:TransactWriteItems' || conflicts === mostConflicts) return undefined;
    transactions += 1;
    if (transactions % 3 !== 0) return undefined;
    conflicts += 1;
    return 'conflict';
  };
  return () => conflicts;
}
