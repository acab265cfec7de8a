import type { AsynchronousDriverName, EdgeDriverName, ImmediateDriverName } from './backends.ts';
import type { EdgeScope } from './scope.ts';
import type { EdgeTier } from './tier.ts';

/** An edge ready to be asked: its secret in the clear, in memory only. */
export interface Edge<Driver extends EdgeDriverName = EdgeDriverName> {
  readonly id: string;
  readonly driver: Driver;
  /** Base address of the edge's purge listener, or what else its driver goes by. */
  readonly url: string;
  readonly tier: EdgeTier;
  /** Undefined where the backend has none, and while it cannot be decrypted: then the edge cannot be asked. */
  readonly secret: string | undefined;
  /** Whether an asynchronous backend is asked once for each purge, instead of once more when that is done. */
  readonly isSinglePass?: boolean;
  /** Whose purges it takes; everybody's where this is left out. */
  readonly scope?: EdgeScope;
  /** Whether a purge that its backend cannot do exactly becomes a hard one of everything of the property. */
  readonly isWidened?: boolean;
  /** Kinds of purge key that it takes, comma-separated; only of one that the API configures. */
  readonly acceptedKeys?: string;
}

export type ImmediateEdge = Edge<ImmediateDriverName>;
export type AsynchronousEdge = Edge<AsynchronousDriverName>;
