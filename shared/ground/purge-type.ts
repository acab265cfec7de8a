import * as z from 'zod';

/** What a purge names: the rules, the drivers and the edges' kits know each of them. */
export const PurgeType = z.enum(['all', 'url', 'prefix', 'tag', 'hostname']);
export type PurgeType = z.output<typeof PurgeType>;
