import { type CallFaultName, callFaults } from './call-fault-kinds.ts';
import type { CallFaults } from './call-faults.ts';

/** What goes wrong while one request is served. */
export interface Mishap {
  readonly name: string;
  /** Whether nobody should notice it. */
  readonly isHarmless: boolean;
  readonly isKill: boolean;
  during<Response>(send: () => Promise<Response>): Promise<Served<Response>>;
}

interface Served<Response> {
  readonly response: Response;
  /** Whether it went wrong: a request may end before. */
  readonly isHit: boolean;
  readonly idempotencyKey: string | undefined;
}

export function callMishap(
  faults: CallFaults,
  functionName: string,
  place: number,
  name: CallFaultName,
): Mishap {
  const kind = callFaults[name];
  return {
    name: `call ${place} ${name}`,
    isHarmless: kind.isHarmless === true,
    isKill: kind.isKill === true,
    during: async (send) => {
      const lane = faults.begin(functionName, { place, kind });
      const response = await send();
      faults.end(functionName);
      return { response, ...lane };
    },
  };
}

export function awaitMishap(faults: CallFaults, functionName: string, place: number): Mishap {
  const { killAt, awaits } = faults.environments;
  return {
    name: `killed at await ${place}`,
    isHarmless: false,
    isKill: true,
    during: async (send) => {
      const lane = faults.begin(functionName);
      killAt.set(functionName, place);
      awaits.delete(functionName);
      const response = await send();
      faults.end(functionName);
      return { response, isHit: !awaits.has(functionName), idempotencyKey: lane.idempotencyKey };
    },
  };
}
