import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Benchmark } from './benchmark.ts';

/** Runs one benchmark in a process of its own, so that it finds nothing of the one before, and tells what it found. */
const [name = ''] = process.argv.slice(2);
const file = join(import.meta.dirname, '..', `${name}.ts`);
const { benchmark } = (await import(pathToFileURL(file).href)) as { readonly benchmark: Benchmark };
const { unit, goal, run } = benchmark;
process.send?.({ unit, goal, measured: await run() }, () => process.exit());
