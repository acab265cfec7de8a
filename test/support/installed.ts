import { spawnSync } from 'node:child_process';

/** Whether a program of the system is there; in continuous integration a missing one fails instead of skipping. */
export function installed(program: string, ...args: readonly string[]): boolean {
  const found = spawnSync(program, args.length > 0 ? args : ['--version'], { stdio: 'ignore' }).status === 0;
  if (!found && process.env.CI === 'true')
    throw new Error(`${program} is missing: npm run setup:edge installs it`);
  return found;
}
