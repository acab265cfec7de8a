import { readFileSync } from 'node:fs';
import { processTree } from '../../support/process-tree.ts';

/** The kernel's unit of CPU in /proc, in microseconds. */
const tickMicroseconds = 10_000;

/**
 * @param pids processes whose time counts, with what they have started
 * @returns microseconds of the processors' time that they have taken meanwhile
 */
export async function microsecondsOf(pids: readonly number[], work: () => Promise<void>): Promise<number> {
  const processes = pids.flatMap(processTree);
  const before = ticksOf(processes);
  await work();
  return (ticksOf(processes) - before) * tickMicroseconds;
}

function ticksOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
}
