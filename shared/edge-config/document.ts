import type { Property } from '../property/property.ts';
import type { CompiledRule } from '../rule/compiled-rule.ts';

/**
 * What an edge is told of one property: all of it, as of one version. Values are in the form in which they meet those of
 * a request, so that an edge compares and never interprets.
 */
export interface ConfigDocument {
  readonly propertyId: string;
  readonly accountId: string;
  /** Counts what has changed in the property or its rules. */
  readonly version: number;
  readonly hostnames: readonly HostnameClaim[];
  readonly status: Property['status'];
  readonly origin: Property['origin'];
  readonly cache: Property['cache'];
  /** The enabled ones, in the order of evaluation. */
  readonly rules: readonly CompiledRule[];
}

/** Of two documents that name one host name the later claim holds. */
export interface HostnameClaim {
  readonly hostname: string;
  /** Milliseconds of Unix time. */
  readonly claimedAt: number;
}
