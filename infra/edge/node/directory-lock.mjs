import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';

/**
 * Makes a file or a directory this process's own, until it ends in whatever way: the lock is on what stays open here, and
 * no program that it starts has it open.
 * @returns whether nobody else has it
 */
export function lock(path, flags = 'r') {
  const stdio = ['ignore', 'ignore', 'inherit', openSync(path, flags)];
  const { status, error } = spawnSync('flock', ['--nonblock', '3'], { stdio });
  if (error) throw error;
  return status === 0;
}
