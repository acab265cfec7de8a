import { isDeepStrictEqual } from 'node:util';
import type { Action } from './action.ts';

interface Conflict {
  /** Index of the second of the two actions. */
  readonly index: number;
  /** Names both, for a message that begins with the second's field name. */
  readonly message: string;
}

/** What an action decides. Two actions that decide one thing exclude each other; in a later rule the later wins. */
export function aspectsOf(action: Action): readonly string[] {
  switch (action.type) {
    case 'cacheTtl':
    case 'bypassCache':
      return ['edge cache'];
    case 'block':
      return ['response'];
    case 'redirect':
      return ['response', 'path'];
    case 'rewritePath':
      return ['path'];
    case 'setRequestHeader':
    case 'removeRequestHeader':
      return [`request header ${action.name.toLowerCase()}`];
    case 'setResponseHeader':
    case 'removeResponseHeader':
      return [`response header ${action.name.toLowerCase()}`];
    case 'browserTtl':
    case 'forceHttps':
    case 'ignoreQueryString':
      return [action.type];
  }
}

/** Every action of a rule that decides what an earlier one has decided, be it the same way. */
export function conflicts(actions: readonly Action[]): readonly Conflict[] {
  const decided = new Map<string, number>();
  return actions.flatMap((action, index) => {
    const aspects = aspectsOf(action);
    const earlier = aspects.map((aspect) => decided.get(aspect)).find((found) => found !== undefined);
    for (const aspect of aspects) decided.set(aspect, decided.get(aspect) ?? index);
    const other = earlier === undefined ? undefined : actions[earlier];
    if (!other) return [];
    const verb = isDeepStrictEqual(action, other) ? 'repeats' : 'contradicts';
    return [{ index, message: `(${action.type}) ${verb} actions[${earlier}] (${other.type})` }];
  });
}
