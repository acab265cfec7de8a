import { readFileSync } from 'node:fs';

/** A process and all that it started, itself first. */
export function processTree(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return [pid, ...children.flatMap(processTree)];
}

/** Megabytes that a process and all below it hold in memory. */
export function residentMegabytes(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + residentOf(each), 0);
}

function residentOf(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
