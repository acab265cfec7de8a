import type { ImmediateEdge } from '../../../../shared/edge/edge.ts';

export interface RunningEdge {
  readonly edge: ImmediateEdge;
  /** Where the edge has one behind it, which is purged first. */
  readonly shield?: ImmediateEdge;
  /** Where browsers ask. */
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** A backend that benches start. */
export interface EdgeUnderTest {
  readonly name: string;
  start(originUrl: string, secret: string): Promise<RunningEdge>;
}
