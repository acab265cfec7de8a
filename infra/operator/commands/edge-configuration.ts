import { ageOf } from '../text/age.ts';

/** Where an edge's configuration comes from, and since when it lacks something of it. */
type Configuration =
  | { readonly from: 'edge'; readonly lagsSince: null }
  | { readonly from: 'api'; readonly lagsSince: string | null };

/** @param lagsSince undefined of an edge that the API does not configure, null of one that lacks nothing */
export function configurationOf(lagsSince: string | null | undefined): Configuration {
  return lagsSince === undefined ? { from: 'edge', lagsSince: null } : { from: 'api', lagsSince };
}

export function configText({ from, lagsSince }: Configuration): string {
  if (from === 'edge') return 'its own';
  return lagsSince === null ? 'current' : `lags ${ageOf(lagsSince)}`;
}
