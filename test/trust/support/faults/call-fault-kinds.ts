import { namesOf } from '../../../../shared/ground/names.ts';
import type { AwsFault } from '../../../support/aws-proxy.ts';

/** One try of a call that a function makes of AWS. */
interface Try {
  /** Of the same call, from 1: the SDK repeats what seems to pass. */
  readonly number: number;
}

type Effect = AwsFault | 'die' | 'wait' | undefined;

/** What happens to one call of a request, or to all from that one on. */
export interface CallFault {
  readonly isForAllAfter?: true;
  /** Whether nobody should notice it: the SDK's second try is enough. */
  readonly isHarmless?: true;
  readonly isKill?: true;
  readonly only?: string;
  readonly effect: (tried: Try) => Effect;
}

const throttled = { type: 'ThrottlingException' } as const;
const broken = { type: 'InternalServerError', status: 500 } as const;
const transaction = 'dynamodb:TransactWriteItems';

const named = {
  'done, and its response lost': {
    isHarmless: true,
    effect: ({ number }) => (number === 1 ? 'lose' : undefined),
  },
  'done, and each response lost': { effect: () => 'lose' },
  refused: { effect: () => 'refuse' },
  broken: { effect: () => broken },
  throttled: { effect: () => throttled },
  slow: { isHarmless: true, effect: ({ number }) => (number === 1 ? 'wait' : undefined) },
  hanging: { effect: () => 'hang' },
  'in conflict': { only: transaction, effect: () => 'conflict' },
  'all refused from there on': { isForAllAfter: true, effect: () => 'refuse' },
  'all responses lost from there on': { isForAllAfter: true, effect: () => 'lose' },
  'killed before it': { isKill: true, effect: () => 'die' },
  'killed after it': { isKill: true, effect: ({ number }) => (number === 1 ? 'lose' : 'die') },
} as const satisfies Record<string, CallFault>;
export type CallFaultName = keyof typeof named;

type PlacedName = readonly [place: number, name: CallFaultName];

export const callFaults: Readonly<Record<CallFaultName, CallFault>> = named;

/** Those that take no time of their own. */
const quickFaults = namesOf(callFaults).filter((name) => name !== 'hanging' && name !== 'slow');

/**
 * Every fault at each call that it can meet, in such an order that any few that are spread evenly are different ones.
 * @param calls the operation of each
 * @param turn another one puts them in another order
 */
export function faultsOf(calls: readonly string[], turn: number, isAll: boolean): readonly PlacedName[] {
  const names = isAll ? namesOf(callFaults) : quickFaults;
  return calls.flatMap((operation, before) => {
    const first = (before + turn) % names.length;
    const turned = [...names.slice(first), ...names.slice(0, first)];
    const met = turned.filter((name) => [undefined, operation].includes(callFaults[name].only));
    return met.map((name) => [before + 1, name] as const);
  });
}

const lasting = [
  'done, and each response lost',
  'refused',
  'killed after it',
] as const satisfies CallFaultName[];

/** Those at each of the calls after which nobody else does the call's work. */
export function lastingOf(calls: readonly string[]): readonly PlacedName[] {
  return calls.flatMap((_, before) => lasting.map((name) => [before + 1, name] as const));
}
