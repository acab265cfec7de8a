import { spawnSync } from 'node:child_process';
import type { Guard } from './guard.ts';
import type { ScratchCopy } from './scratch-copy.ts';

/** What only a guard used is unused without it. */
const flags = ['--noUnusedLocals', 'false', '--noUnusedParameters', 'false'];

/**
 * Whether the sources still compile without the guards: a test that fails for a fault of the mutation's own says nothing.
 * As many guards as their texts allow are taken out together.
 * @returns what the compiler says; empty where all is well
 */
export function compileErrors(copy: ScratchCopy, guards: readonly Guard[]): string {
  let rest = guards.filter(({ file }) => file.endsWith('.ts'));
  let errors = '';
  while (rest.length > 0 && errors === '') {
    const out = rest.filter((guard) => canTakeOut(copy, guard));
    if (out.length === 0) throw new Error('No guard that is left can be taken out.');
    errors = compile(copy.folder);
    for (const guard of out) copy.putBack(guard);
    rest = rest.filter((guard) => !out.includes(guard));
  }
  return errors;
}

/** Another guard may have taken the text out already. */
function canTakeOut(copy: ScratchCopy, guard: Guard): boolean {
  try {
    copy.takeOut(guard);
    return true;
  } catch {
    return false;
  }
}

function compile(folder: string): string {
  const { status, stdout } = spawnSync('node_modules/.bin/tsc', flags, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? '' : stdout;
}
