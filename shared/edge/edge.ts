import * as z from 'zod';
import type { EdgeDriverName } from './backends.ts';

export const EdgeTier = z.enum(['edge', 'shield']);
export type EdgeTier = z.output<typeof EdgeTier>;

/** An edge ready to be asked: its secret in the clear, in memory only. */
export interface Edge {
  readonly id: string;
  readonly driver: EdgeDriverName;
  /** Base address of the edge's purge listener, or what else its driver goes by. */
  readonly url: string;
  readonly tier: EdgeTier;
  /** Undefined where the backend has none, and while it cannot be decrypted: then the edge cannot be asked. */
  readonly secret: string | undefined;
}
