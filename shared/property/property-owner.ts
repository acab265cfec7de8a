/** A property and whose it is. */
export interface PropertyOwner {
  readonly accountId: string;
  readonly propertyId: string;
}
