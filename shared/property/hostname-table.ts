import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { unavailable } from '../ground/api-error.ts';

/** Whose a host name is. */
export interface HostnameOwner {
  readonly accountId: string;
  readonly propertyId: string;
}

const batchSize = 100;
const attempts = 6;

interface HostnameItem extends HostnameOwner {
  readonly hostname: string;
}

/** Whose the host names are now; those of no property are left out. */
export async function ownersOf(hostnames: readonly string[]): Promise<ReadonlyMap<string, HostnameOwner>> {
  const owners = new Map<string, HostnameOwner>();
  for (let start = 0; start < hostnames.length; start += batchSize) {
    for (const { hostname, accountId, propertyId } of await readBatch(
      hostnames.slice(start, start + batchSize),
    ))
      owners.set(hostname, { accountId, propertyId });
  }
  return owners;
}

/** What DynamoDB did not get to under load is asked for again. */
async function readBatch(hostnames: readonly string[]): Promise<readonly HostnameItem[]> {
  const table = tableName('hostnames');
  const found: HostnameItem[] = [];
  let Keys: Record<string, unknown>[] = hostnames.map((hostname) => ({ hostname }));
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { Responses, UnprocessedKeys } = await dynamodb().send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
    );
    found.push(...((Responses?.[table] ?? []) as HostnameItem[]));
    Keys = UnprocessedKeys?.[table]?.Keys ?? [];
    if (Keys.length === 0) return found;
    await sleep(Math.random() * 20 * 2 ** attempt);
  }
  throw unavailable(new Error('host names are left unprocessed'));
}
