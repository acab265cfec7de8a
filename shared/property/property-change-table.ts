import { isDeepStrictEqual } from 'node:util';
import { countStep } from '../aws/counter.ts';
import { compare } from '../aws/expression.ts';
import { deleteStep, putStep, type Step } from '../aws/transaction.ts';
import { touching } from '../ground/touches.ts';
import { changedMeanwhile, requireVersion } from '../http/if-match.ts';
import { mergePatch } from '../http/merge-patch.ts';
import { validate } from '../http/validate.ts';
import { writeChange, writeChangeTouches } from './config-change-table.ts';
import {
  claimStep,
  claimStepTouches,
  releaseStep,
  releaseStepTouches,
  takenHostnames,
} from './hostname-table.ts';
import type { Property } from './property.ts';
import { CreateProperty, propertyInputTouches } from './property-input.ts';
import {
  claimsOf,
  getClaimed,
  getProperty,
  getPropertyTouches,
  properties,
  storedProperty,
} from './property-table.ts';

export const updatePropertyTouches = touching(
  getPropertyTouches,
  propertyInputTouches,
  claimStepTouches,
  releaseStepTouches,
  writeChangeTouches,
  { tables: { properties: ['PutItem'] } },
);

/**
 * Applies a merge patch; one that changes nothing writes nothing.
 * @throws ApiError `notFound`; `conflict` for a stale version, a change at the same time, and a host name that
 * another property has
 */
export async function updateProperty(
  accountId: string,
  id: string,
  patch: Readonly<Record<string, unknown>>,
  ifMatch: number | undefined,
  now = new Date(),
): Promise<Property> {
  const { property: before, claimedAt: claimed } = await getClaimed(accountId, id);
  requireVersion(before.version, ifMatch);
  const { id: _, createdAt, updatedAt: __, version, ...settings } = before;
  const changed = validate(CreateProperty, mergePatch(settings, patch), 'the body');
  if (isDeepStrictEqual(changed, settings)) return before;
  const after = { id, ...changed, createdAt, updatedAt: now.toISOString(), version: version + 1 };
  const added = after.hostnames.filter((hostname) => !before.hostnames.includes(hostname));
  const removed = before.hostnames.filter((hostname) => !after.hostnames.includes(hostname));
  const claimedAt = claimsOf(after.hostnames, Date.now(), claimed);
  const refused = await writeChange({ accountId, propertyId: id }, [
    ...added.map((hostname) => claimStep({ hostname, accountId, propertyId: id })),
    ...removed.map((hostname) => releaseStep({ hostname, propertyId: id })),
    putStep(properties, { accountId, ...storedProperty(after), claimedAt }, compare('version', '=', version)),
  ]);
  if (!refused) return after;
  throw takenHostnames(refused, added) ?? changedMeanwhile();
}

export const deletePropertyTouches = touching(getPropertyTouches, releaseStepTouches, writeChangeTouches, {
  tables: { properties: ['DeleteItem', 'UpdateItem'] },
});

/**
 * Frees the host names at once.
 * @param noteRest notes in the same write what of the property is still to be removed
 * @throws ApiError `notFound`, or `conflict` for a stale version
 */
export async function deleteProperty(
  accountId: string,
  id: string,
  ifMatch: number | undefined,
  noteRest: Step,
): Promise<void> {
  const { version, hostnames } = await getProperty(accountId, id);
  requireVersion(version, ifMatch);
  const steps = [
    deleteStep(properties, { accountId, id }, compare('version', '=', version)),
    ...hostnames.map((hostname) => releaseStep({ hostname, propertyId: id })),
    countStep(properties, accountId, -1),
    noteRest,
  ];
  const refused = await writeChange({ accountId, propertyId: id }, steps, 'deleted');
  if (!refused) return;
  const again = await getProperty(accountId, id);
  if (ifMatch !== undefined || again.version === version) throw changedMeanwhile();
  await deleteProperty(accountId, id, ifMatch, noteRest);
}
