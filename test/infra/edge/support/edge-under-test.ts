import type { ImmediateDriverName } from '../../../../shared/edge/backends.ts';
import type { ImmediateEdge } from '../../../../shared/edge/edge.ts';

export interface RunningEdge {
  readonly edge: ImmediateEdge;
  /** Where the edge has one behind it, which is purged first. */
  readonly shield?: ImmediateEdge;
  /** Where browsers ask. */
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** An edge that benches start. */
export interface EdgeUnderTest {
  readonly name: string;
  /** Whether it responds with 400 to a target, because of what its path holds; a kit that refuses none leaves it out. */
  readonly refuses?: (target: string) => boolean;
  start(originUrl: string, secret: string): Promise<RunningEdge>;
}

/** One that is put through the contract: `backends.ts` says by its driver what it can be asked. */
export interface BackendUnderTest extends EdgeUnderTest {
  readonly driver: ImmediateDriverName;
}
