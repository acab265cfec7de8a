import { readFileSync } from 'node:fs';
import { processTree } from '../support/process-tree.ts';
import { percentile } from './run.ts';

/** The kernel's unit of CPU in /proc, in microseconds. */
const tickMicroseconds = 10_000;

/** How fast hits were, and what each took of the processors' time, in several rounds. */
export class Measured {
  private readonly microseconds: number[] = [];
  private readonly perSecond: number[] = [];

  /** @param pids processes whose time counts, with what they have started */
  async measure(pids: readonly number[], hits: number, send: () => Promise<void>): Promise<void> {
    const processes = pids.flatMap(processTree);
    const before = ticksOf(processes);
    const startedAt = performance.now();
    await send();
    this.perSecond.push((hits / (performance.now() - startedAt)) * 1_000);
    this.microseconds.push(((ticksOf(processes) - before) * tickMicroseconds) / hits);
  }

  /** Of a hit, in microseconds. */
  get cpu(): number {
    return percentile(this.microseconds, 0.5);
  }

  /** Hits a second. */
  get rate(): number {
    return percentile(this.perSecond, 0.5);
  }

  toString(): string {
    return `${this.cpu.toFixed(1)} µs of CPU a hit, ${this.rate.toFixed(0)} hits a second`;
  }

  /** @returns its medians as parts of another's */
  ratioTo({ cpu, rate }: Measured): string {
    return `${(this.cpu / cpu).toFixed(2)} of the CPU, ${(this.rate / rate).toFixed(2)} of the hits a second`;
  }
}

function ticksOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
}
