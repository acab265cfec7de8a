import { readFileSync } from 'node:fs';
import { processTree } from '../../../support/process-tree.ts';
import { partsOf } from './node-parts.ts';

const parts = ['nginx', 'varnishd', 'haproxy', 'agent'] as const;

/** Megabytes that each part of a node holds; what processes share counts once, spread over them. */
export function partMemory(run: number): string {
  const pids = partsOf(run);
  const texts = parts.flatMap((part) => {
    const pid = pids.get(part);
    return pid === undefined ? [] : [`${part} ${textOf(processTree(pid))}`];
  });
  return ['run', ...texts].join(', ').replace(/^run/, `run ${textOf([run])}`);
}

function textOf(pids: readonly number[]): string {
  const [resident, proportional] = ['Rss', 'Pss'].map((field) =>
    pids.reduce((sum, pid) => sum + megabytes(pid, field), 0).toFixed(0),
  );
  return `${proportional} MB (RSS ${resident})`;
}

function megabytes(pid: number, field: string): number {
  const [, kilobytes = '0'] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
