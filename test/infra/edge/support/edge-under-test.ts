import type { DirectDriverName } from '../../../../shared/edge/backends.ts';
import type { Edge } from '../../../../shared/edge/edge.ts';

export interface RunningEdge {
  readonly edge: Edge;
  /** Where the edge has one behind it, which is purged first. */
  readonly shield?: Edge;
  /** Where browsers ask. */
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** A backend that benches start. */
export interface EdgeUnderTest {
  readonly name: string;
  start(originUrl: string, secret: string): Promise<RunningEdge>;
}

/** A backend that the driver contract suite is run against. */
export interface ContractEdge extends EdgeUnderTest {
  /** What `backends` says of it is tried; all else it must refuse. */
  readonly driver: DirectDriverName;
  /** Whether it stores answers with `Vary`, a variant each; otherwise it may store none of them. */
  readonly storesVariants: boolean;
  /** Whether it answers 400 to a target that it cannot read, instead of passing it on. */
  readonly refusesUnreadable: boolean;
}
