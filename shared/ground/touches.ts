import type { Touches } from './resources.ts';

/** What several operations touch together: how a declaration, or an operation made of others, says it. */
export function touching(...all: readonly Touches[]): Touches {
  return {
    tables: union(all.map(({ tables = {} }) => tables)),
    queues: union(all.map(({ queues = {} }) => queues)),
    keys: union(all.map(({ keys = {} }) => keys)),
    secrets: union(all.map(({ secrets = {} }) => secrets)),
    settings: [...new Set(all.flatMap(({ settings = [] }) => settings))],
    distributions: [...new Set(all.flatMap(({ distributions = [] }) => distributions))],
    ...(all.some(({ metrics }) => metrics) && { metrics: true }),
  };
}

type Actions<Name extends string, Action> = Readonly<Partial<Record<Name, readonly Action[]>>>;

function union<Name extends string, Action>(all: readonly Actions<Name, Action>[]): Actions<Name, Action> {
  const together: { [Key in Name]?: readonly Action[] } = {};
  for (const actions of all)
    for (const name in actions)
      together[name] = [...new Set([...(together[name] ?? []), ...(actions[name] ?? [])])];
  return together;
}
