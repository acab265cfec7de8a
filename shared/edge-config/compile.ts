import type { Property } from '../property/property.ts';
import { compileRules } from '../rule/compiled-rule.ts';
import type { Rule } from '../rule/rule.ts';
import type { ConfigDocument } from './document.ts';

/** What a document says beside the property and its rules. */
interface Circumstances {
  readonly accountId: string;
  /** Counts what has changed in the property or its rules. */
  readonly version: number;
  /** By host name, in milliseconds of Unix time; those that are not in it were claimed when the property was made. */
  readonly claimedAt?: Readonly<Record<string, number>>;
}

/** The same for the same input, whatever the order of the rules. */
export function compile(
  { id, hostnames, status, origin, cache, createdAt }: Property,
  rules: readonly Rule[],
  { accountId, version, claimedAt = {} }: Circumstances,
): ConfigDocument {
  const madeAt = Date.parse(createdAt);
  return {
    propertyId: id,
    accountId,
    version,
    hostnames: hostnames.map((hostname) => ({ hostname, claimedAt: claimedAt[hostname] ?? madeAt })),
    status,
    origin,
    cache,
    rules: compileRules(rules),
  };
}
