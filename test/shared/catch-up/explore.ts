import { type Deviation, faultOf, next, type State } from './lagging-edge-model.ts';

/** What came of trying every order of steps: how many states there are, or how one goes wrong. */
export interface Explored {
  readonly states: number;
  readonly fault?: string;
  /** From the first state to the one at fault. */
  readonly path?: readonly State[];
}

interface Reached {
  readonly state: State;
  readonly from: Reached | undefined;
}

/** Tries every order of the steps that are possible from a state, until one leads to a fault. */
export function explore(first: State, deviation: Deviation = {}): Explored {
  const seen = new Set<string>([keyOf(first)]);
  const waiting: Reached[] = [{ state: first, from: undefined }];
  for (let reached = waiting.pop(); reached; reached = waiting.pop()) {
    const fault = faultOf(reached.state);
    if (fault) return { states: seen.size, fault, path: pathTo(reached) };
    for (const state of next(reached.state, deviation)) {
      const key = keyOf(state);
      if (seen.has(key)) continue;
      seen.add(key);
      waiting.push({ state, from: reached });
    }
  }
  return { states: seen.size };
}

function pathTo(reached: Reached): readonly State[] {
  const path: State[] = [];
  for (let at: Reached | undefined = reached; at; at = at.from) path.unshift(at.state);
  return path;
}

type Part = Exclude<State[keyof State], number> | State['processes'][number];

/**
 * The same for states that differ in nothing but the numbers of versions and the order of processes: of a version that
 * a process has read all that counts is whether the row still has it, since no row gets an old one again.
 */
function keyOf({ nextVersion: _, hints, processes, ...others }: State): string {
  const ofProcesses = processes.map((process) => {
    const isCurrent = process.kind === 'catch-up' && process.row?.version === hints[process.edge]?.version;
    return nameOf(process) + (isCurrent ? '!' : '');
  });
  const rest = Object.values(others).map((part) => (typeof part === 'number' ? part : nameOf(part)));
  return `${rest} ${hints.shield?.since} ${hints.edge?.since} ${ofProcesses.sort()}`;
}

const nameOfText = new Map<string, string>();
const nameOfPart = new WeakMap<object, string>();

/** A short name, the same for parts that are equal but for versions; a state shares most parts with the one before it. */
function nameOf(part: Part): string {
  const known = nameOfPart.get(part);
  if (known !== undefined) return known;
  const text = JSON.stringify('row' in part ? { ...part, row: part.row?.since } : part);
  const name = nameOfText.get(text) ?? String(nameOfText.size);
  nameOfText.set(text, name);
  nameOfPart.set(part, name);
  return name;
}
