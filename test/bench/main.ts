import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { synthesizeApart } from '../../infra/local/synthesis/synthesize-apart.ts';
import { type Measured, resultOf } from './support/benchmark.ts';
import { foldersIn, folderVariable } from './support/folders.ts';
import { type Reported, tableOf } from './support/report.ts';

/** Compares what the project does with another way of doing the same: all benchmarks, or those that are named. */
const script = join(import.meta.dirname, 'support', 'measure.ts');
const known = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== basename(import.meta.filename))
  .map((file) => basename(file, '.ts'));

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true });
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'cdn-management-bench-'));
try {
  await synthesizeApart(foldersIn(folder), () => undefined);
  const reported: Reported[] = [];
  for (const name of positionals.length > 0 ? positionals : known) {
    const report = await measure(name);
    console.error(report ? `${name}: ${report.result.ratio.toFixed(2)}` : `${name} has failed`);
    if (report) reported.push(report);
    else process.exitCode = 1;
  }
  const results = reported.map(({ result }) => result);
  console.log(values.json ? JSON.stringify(results, null, 2) : tableOf(reported));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Told {
  readonly unit: string;
  readonly goal: number;
  readonly measured: Measured;
}

/** @returns undefined where the benchmark has failed, and has said why */
async function measure(name: string): Promise<Reported | undefined> {
  const child = fork(script, [name], {
    env: { ...process.env, [folderVariable]: folder },
    // What functions log there is no result.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let told: Told | undefined;
  child.on('message', (message: Told) => {
    told = message;
  });
  const [status] = await once(child, 'exit');
  if (status !== 0 || !told) return undefined;
  const { unit, goal, measured } = told;
  return { unit, result: resultOf(name, goal, measured) };
}
