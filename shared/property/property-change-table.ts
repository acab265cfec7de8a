import { isDeepStrictEqual } from 'node:util';
import { tableName } from '../aws/dynamodb.ts';
import { changeTotal } from '../aws/total.ts';
import { type TransactionItems, transact } from '../aws/transaction.ts';
import { changedMeanwhile, requireVersion } from '../http/if-match.ts';
import { mergePatch } from '../http/merge-patch.ts';
import { validate } from '../http/validate.ts';
import { CreateProperty, type Property } from './property.ts';
import { claim, getProperty, takenHostnames } from './property-table.ts';

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
  const before = await getProperty(accountId, id);
  requireVersion(before.version, ifMatch);
  const { id: _, createdAt, updatedAt: __, version, ...settings } = before;
  const changed = validate(CreateProperty, mergePatch(settings, patch), 'the body');
  if (isDeepStrictEqual(changed, settings)) return before;
  const after = { id, ...changed, createdAt, updatedAt: now.toISOString(), version: version + 1 };
  const added = after.hostnames.filter((hostname) => !before.hostnames.includes(hostname));
  const removed = before.hostnames.filter((hostname) => !after.hostnames.includes(hostname));
  const refused = await transact([
    ...added.map((hostname) => claim(hostname, accountId, id)),
    ...removed.map((hostname) => release(hostname, id)),
    { Put: { TableName: tableName('properties'), Item: { accountId, ...after }, ...sameVersion(before) } },
  ]);
  if (!refused) return after;
  throw takenHostnames(refused, added) ?? changedMeanwhile();
}

/** Frees the host names at once. @throws ApiError `notFound`, or `conflict` for a stale version */
export async function deleteProperty(
  accountId: string,
  id: string,
  ifMatch: number | undefined,
): Promise<void> {
  const property = await getProperty(accountId, id);
  requireVersion(property.version, ifMatch);
  const refused = await transact([
    { Delete: { TableName: tableName('properties'), Key: { accountId, id }, ...sameVersion(property) } },
    ...property.hostnames.map((hostname) => release(hostname, id)),
    changeTotal('properties', accountId, -1),
  ]);
  if (!refused) return;
  const again = await getProperty(accountId, id);
  if (ifMatch !== undefined || again.version === property.version) throw changedMeanwhile();
  await deleteProperty(accountId, id, ifMatch);
}

function release(hostname: string, propertyId: string): TransactionItems[number] {
  return {
    Delete: {
      TableName: tableName('hostnames'),
      Key: { hostname },
      ConditionExpression: 'propertyId = :property',
      ExpressionAttributeValues: { ':property': propertyId },
    },
  };
}

function sameVersion({ version }: Property) {
  return {
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': version },
  };
}
