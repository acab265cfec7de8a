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

/** The same for states that differ in nothing but the names of versions and the order of processes. */
function keyOf({ nextVersion: _, ...state }: State): string {
  const names = new Map<number, number>();
  const name = (version: number): number => {
    const known = names.get(version) ?? names.size;
    names.set(version, known);
    return known;
  };
  const renamed = (_key: string, value: unknown): unknown =>
    isRow(value) ? `${value.since} ${name(value.version)}` : value;
  const hints = JSON.stringify(state.hints, renamed);
  const processes = state.processes.map((process) => JSON.stringify(process, renamed)).sort();
  return JSON.stringify([{ ...state, hints, processes }]);
}

function isRow(value: unknown): value is { readonly since: number; readonly version: number } {
  return typeof value === 'object' && value !== null && 'version' in value;
}
