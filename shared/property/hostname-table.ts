import { getItems } from '../aws/batch.ts';
import { absent, compare } from '../aws/expression.ts';
import { table } from '../aws/table.ts';
import { deleteStep, putStep, type Refused, type Step } from '../aws/transaction.ts';
import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';
import type { Touches } from '../ground/resources.ts';
import type { PropertyOwner } from './property-owner.ts';

interface HostnameItem extends PropertyOwner {
  readonly hostname: string;
}

export const hostnames = table<'hostnames', HostnameItem>('hostnames');

export const ownersOfTouches = { tables: { hostnames: ['BatchGetItem'] } } as const satisfies Touches;

/** Whose the host names are now; those of no property are left out. */
export async function ownersOf(names: readonly string[]): Promise<ReadonlyMap<string, PropertyOwner>> {
  const items = await getItems(
    hostnames,
    names.map((hostname) => ({ hostname })),
  );
  return new Map(
    items.map(({ hostname, accountId, propertyId }) => [hostname, { accountId, propertyId }] as const),
  );
}

export const claimStepTouches = { tables: { hostnames: ['PutItem'] } } as const satisfies Touches;

/** Refused where a property has the host name. */
export function claimStep(item: HostnameItem): Step {
  return putStep(hostnames, item, absent('hostname'));
}

export const releaseStepTouches = { tables: { hostnames: ['DeleteItem'] } } as const satisfies Touches;

/** Refused where another property has the host name. */
export function releaseStep({ hostname, propertyId }: Omit<HostnameItem, 'accountId'>): Step {
  return deleteStep(hostnames, { hostname }, compare('propertyId', '=', propertyId));
}

export const hostnameTakenFailure = {
  description: 'A host name is in use by another property.',
  message: messages.hostnamesTaken(['www.example.com']),
} as const;

/**
 * @param claimed the host names whose claims were the transaction's first steps
 * @returns ApiError `conflict`, which names those that another property has
 */
export function takenHostnames(
  { failedConditions }: Refused,
  claimed: readonly string[],
): ApiError | undefined {
  const taken = claimed.filter((_, index) => failedConditions.includes(index));
  return taken.length > 0 ? new ApiError('conflict', messages.hostnamesTaken(taken)) : undefined;
}
