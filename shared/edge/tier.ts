import * as z from 'zod';

export const EdgeTier = z.enum(['edge', 'shield']);
export type EdgeTier = z.output<typeof EdgeTier>;
