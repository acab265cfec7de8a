import { namesOf } from '../ground/names.ts';
import type { PropertyOwner } from '../property/property-owner.ts';

/** Whose purges an edge takes: everybody's where it names nobody. */
export interface EdgeScope {
  /** Ids of accounts, for all of their properties, later ones too. */
  readonly accounts: readonly string[];
  /** Ids of properties. */
  readonly properties: readonly string[];
}

/** So many accounts and properties together fit into one transaction that replaces them by others. */
export const mostNamed = 40;

export const everybody: EdgeScope = { accounts: [], properties: [] };

export function isEverybody(scope: EdgeScope): boolean {
  return namesOf(everybody).every((name) => scope[name].length === 0);
}

export function isInScope(scope: EdgeScope, { accountId, propertyId }: PropertyOwner): boolean {
  return isEverybody(scope) || scope.accounts.includes(accountId) || scope.properties.includes(propertyId);
}

/** The terms under which the index has an edge of this scope. */
export function termsOf(scope: EdgeScope): readonly string[] {
  if (isEverybody(scope)) return ['everybody'];
  return [...scope.accounts.map((id) => `account#${id}`), ...scope.properties.map((id) => `property#${id}`)];
}

/** The terms of every scope that holds the property. */
export function termsHolding({ accountId, propertyId }: PropertyOwner): readonly string[] {
  return [...termsOf(everybody), ...termsOf({ accounts: [accountId], properties: [propertyId] })];
}
