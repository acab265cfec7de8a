import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { functionsLogName } from '../../infra/local/host/functions-log.ts';
import type { TestRun } from './test-run.ts';

/** What the functions of a run have written so far, as their log groups would have it. */
export function loggedLines({ folder }: Pick<TestRun, 'folder'>): readonly string[] {
  const text = readFileSync(join(folder, functionsLogName), 'utf8');
  // What follows the last line break is a line that is still being written.
  return text.split('\n').slice(0, -1);
}
