import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { processTree } from '../../support/process-tree.ts';
import type { Benchmark } from './benchmark.ts';

/** Runs one benchmark in a process of its own, so that it finds nothing of the one before, and tells what it found. */
// The command is gone.
process.once('disconnect', () => {
  endStarted();
  process.exit(1);
});

const [name = ''] = process.argv.slice(2);
const file = join(import.meta.dirname, '..', `${name}.ts`);
const { benchmark } = (await import(pathToFileURL(file).href)) as { readonly benchmark: Benchmark };
const { unit, goal, run } = benchmark;
const measured = await run().finally(endStarted);
if (!Number.isFinite(measured.ours / measured.other))
  throw new Error(`${name} has measured ${measured.ours} and ${measured.other}`);
process.send?.({ unit, goal, measured }, () => process.exit());

/** What is left of a benchmark that has failed would disturb the next one. */
function endStarted(): void {
  const [, ...started] = processTree(process.pid);
  for (const pid of started) {
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // It has ended with what had started it.
    }
  }
}
