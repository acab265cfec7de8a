import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsFault, AwsProxy } from '../../../support/aws-proxy.ts';
import type { CallFault } from './call-fault-kinds.ts';
import type { MortalEnvironments } from './mortal-environments.ts';

const slowMilliseconds = 700;

interface PlacedFault {
  /** Of the call among those of the request, from 1. */
  readonly place: number;
  readonly kind: CallFault;
}

/** The calls of one function, and what happens to them. */
interface Lane {
  /** By the id of the call. */
  readonly places: Map<string, number>;
  readonly tries: Map<string, number>;
  /** Of each call, in their order. */
  readonly operations: string[];
  readonly fault: PlacedFault | undefined;
  isHit: boolean;
  /** Of the idempotency record that the request made. */
  idempotencyKey: string | undefined;
}

/** Faults by function, so that requests to different functions can be tried side by side. */
export class CallFaults {
  readonly environments: MortalEnvironments;
  private readonly lanes = new Map<string, Lane>();

  constructor(aws: AwsProxy, environments: MortalEnvironments) {
    this.environments = environments;
    aws.fault = (operation, body, functionName, callId) => {
      const lane = this.lanes.get(functionName);
      return lane && this.meet(lane, functionName, operation, body, callId);
    };
  }

  /** From now on the function's calls are counted, and the one at the place meets the fault. */
  begin(functionName: string, fault?: PlacedFault): Lane {
    const lane: Lane = {
      places: new Map(),
      tries: new Map(),
      operations: [],
      fault,
      isHit: false,
      idempotencyKey: undefined,
    };
    this.lanes.set(functionName, lane);
    return lane;
  }

  end(functionName: string): void {
    this.lanes.delete(functionName);
  }

  /** The operations of AWS that the function calls in the meantime. */
  async callsOf(functionName: string, act: () => Promise<unknown>): Promise<readonly string[]> {
    const lane = this.begin(functionName);
    await act();
    this.end(functionName);
    return lane.operations;
  }

  private meet(
    lane: Lane,
    functionName: string,
    operation: string,
    body: Readonly<Record<string, unknown>>,
    callId: string,
  ): AwsFault | undefined | Promise<undefined> {
    noteIdempotencyKey(lane, body);
    const place = lane.places.get(callId) ?? lane.operations.push(operation);
    const number = (lane.tries.get(callId) ?? 0) + 1;
    lane.places.set(callId, place);
    lane.tries.set(callId, number);
    const { fault } = lane;
    if (!fault || (fault.kind.isForAllAfter ? place < fault.place : place !== fault.place)) return undefined;
    if (fault.kind.only && fault.kind.only !== operation) return undefined;
    lane.isHit = true;
    const effect = fault.kind.effect({ number });
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
