import * as z from 'zod';

export const EdgeTier = z.enum(['edge', 'shield']);
export type EdgeTier = z.output<typeof EdgeTier>;

export const EdgeDriverName = z.enum(['varnish']);
export type EdgeDriverName = z.output<typeof EdgeDriverName>;

/** An edge ready to be asked: its secret in the clear, in memory only. */
export interface Edge {
  readonly id: string;
  readonly driver: EdgeDriverName;
  /** Base address of the edge's purge listener. */
  readonly url: string;
  readonly tier: EdgeTier;
  /** Undefined while it cannot be decrypted, and then the edge cannot be asked. */
  readonly secret: string | undefined;
}
