import { readFileSync } from 'node:fs';
import { processTree } from '../../../support/process-tree.ts';

/** What its command line holds, and which of several is meant: a program's first process starts the others. */
const kinds = {
  nginx: ['nginx', 0],
  'an nginx worker': ['nginx', 1],
  varnishd: ['varnishd', 0],
  'varnishd’s child': ['varnishd', 1],
  haproxy: ['haproxy', 0],
  'haproxy’s worker': ['haproxy', 1],
  agent: ['agent/main.mjs', 0],
} as const;

export type NodePart = keyof typeof kinds;

export const nodeParts = Object.keys(kinds) as readonly NodePart[];

/** Process ids of what runs of a node. */
export function partsOf(run: number): ReadonlyMap<NodePart, number> {
  const [, ...others] = processTree(run);
  const commands = others.map((pid) => [pid, commandOf(pid)] as const);
  return new Map(
    nodeParts.flatMap((name) => {
      const [program, place] = kinds[name];
      const [pid] = commands.filter(([, command]) => command.includes(program))[place] ?? [];
      return pid === undefined ? [] : [[name, pid] as const];
    }),
  );
}

export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Empty where it has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
