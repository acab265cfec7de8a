import { setTimeout as sleep } from 'node:timers/promises';
import { namesOf } from '../../../shared/ground/names.ts';
import type { AwsFault, AwsProxy } from '../../support/aws-proxy.ts';
import type { MortalEnvironments } from './mortal-environment.ts';

/** One try of a call that a function makes of AWS. */
interface Try {
  /** Of the call among those of the request, from 1. */
  readonly place: number;
  /** Of the same call, from 1: the SDK repeats what seems to pass. */
  readonly number: number;
  readonly operation: string;
}

type Effect = AwsFault | 'die' | 'wait' | undefined;

/** What happens to one call of a request, or to all from that one on. */
export interface CallFault {
  readonly isForAllAfter?: true;
  /** Whether nobody should notice it: the SDK's second try is enough. */
  readonly isHarmless?: true;
  readonly only?: string;
  readonly effect: (tried: Try) => Effect;
}

const throttled = { type: 'ThrottlingException' } as const;
const broken = { type: 'InternalServerError', status: 500 } as const;
const transaction = 'dynamodb:TransactWriteItems';

export const callFaults = {
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
  'killed before it': { effect: () => 'die' },
  'killed after it': { effect: ({ number }) => (number === 1 ? 'lose' : 'die') },
} as const satisfies Record<string, CallFault>;
export type CallFaultName = keyof typeof callFaults;

/** Those that take no time of their own. */
export const quickFaults = namesOf(callFaults).filter((name) => name !== 'hanging' && name !== 'slow');

const slowMilliseconds = 700;

/** The calls of one function, and what happens to them. */
interface Lane {
  readonly places: Map<string, number>;
  readonly tries: Map<string, number>;
  readonly fault: { readonly place: number; readonly kind: CallFault } | undefined;
  isHit: boolean;
  /** Of the idempotency record that the request made. */
  idempotencyKey: string | undefined;
}

/** Faults by function, so that requests to different functions can be tried side by side. */
export class CallFaults {
  private readonly lanes = new Map<string, Lane>();
  private readonly environments: MortalEnvironments;

  constructor(aws: AwsProxy, environments: MortalEnvironments) {
    this.environments = environments;
    aws.fault = (operation, body, functionName, callId) => {
      const lane = this.lanes.get(functionName);
      return lane && this.meet(lane, functionName, operation, body, callId);
    };
  }

  /** From now on the function's calls are counted, and the one at the place meets the fault. */
  begin(functionName: string, fault?: { readonly place: number; readonly kind: CallFault }): Lane {
    const lane = { places: new Map(), tries: new Map(), fault, isHit: false, idempotencyKey: undefined };
    this.lanes.set(functionName, lane);
    return lane;
  }

  end(functionName: string): void {
    this.lanes.delete(functionName);
  }

  private meet(
    lane: Lane,
    functionName: string,
    operation: string,
    body: Readonly<Record<string, unknown>>,
    callId: string,
  ): AwsFault | undefined | Promise<undefined> {
    noteIdempotencyKey(lane, body);
    const place = lane.places.get(callId) ?? lane.places.size + 1;
    const number = (lane.tries.get(callId) ?? 0) + 1;
    lane.places.set(callId, place);
    lane.tries.set(callId, number);
    const { fault } = lane;
    if (!fault || (fault.kind.isForAllAfter ? place < fault.place : place !== fault.place)) return undefined;
    if (fault.kind.only && fault.kind.only !== operation) return undefined;
    lane.isHit = true;
    const effect = fault.kind.effect({ place, number, operation });
    if (effect === 'wait') return sleep(slowMilliseconds).then(() => undefined);
    if (effect !== 'die') return effect;
    this.environments.kill(functionName);
    return 'hang';
  }
}

function noteIdempotencyKey(lane: Lane, { TableName, Item }: Readonly<Record<string, unknown>>): void {
  if (!String(TableName).endsWith('-idempotency')) return;
  const { key } = (Item ?? {}) as { readonly key?: { readonly S?: string } };
  lane.idempotencyKey ??= key?.S;
}
