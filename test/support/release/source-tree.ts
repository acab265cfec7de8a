import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { OptionTexts } from '../../../infra/definition/options.ts';

const run = promisify(execFile);

/** All that the template and the bundles are made of. */
const sources = ['functions', 'shared', 'infra', 'package.json', 'package-lock.json', 'cdk.json'];

/** In place of exactly one passage of a file. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The sources as they stand, with changes. */
export function changedTree(folder: string, edits: readonly Edit[]): void {
  for (const name of sources) cpSync(name, join(folder, name), { recursive: true });
  for (const edit of edits) {
    const path = join(folder, edit.file);
    writeFileSync(path, edited(readFileSync(path, 'utf8'), edit));
  }
}

/** @throws Error where the text does not hold the passage, or more than once */
export function edited(text: string, { file, from, to }: Edit): string {
  const [before, after, ...others] = text.split(from);
  if (after === undefined || others.length > 0)
    throw new Error(`${file} must hold exactly once what the next version changes: ${from}`);
  return `${before}${to}${after}`;
}

/** The sources as a commit of the history has them. @throws Error where the repository does not hold it */
export async function treeOfCommit(folder: string, commit: string): Promise<void> {
  mkdirSync(folder);
  const archive = join(folder, 'sources.tar');
  await run('git', ['archive', '--output', archive, commit, ...sources]);
  await run('tar', ['-xf', archive, '-C', folder]);
}

/** Bundles and synthesizes a tree by its own code, on the packages that are installed here. @returns the assembly */
export async function buildTree(folder: string, options: OptionTexts): Promise<string> {
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const assembly = join(folder, 'cdk.out');
  const build = JSON.stringify({ bundles: join(folder, 'bundles'), assembly, options });
  const script = `(await (await import('./infra/synthesize.ts')).buildApp(${build})).synth()`;
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  await run(process.execPath, flags, { cwd: folder });
  return assembly;
}
