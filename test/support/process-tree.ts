import { readFileSync } from 'node:fs';

/** A process and all that it started, itself first. */
export function processTree(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(processTree)];
}

/** None of one that has just ended. */
function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Megabytes that a process and all below it hold in memory. */
export function residentMegabytes(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + residentOf(each), 0);
}

function residentOf(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
