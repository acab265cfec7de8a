import { newId } from '../../shared/ground/id.ts';
import { readCounters, shardOf } from '../../shared/property/config-change-table.ts';
import type { CreateProperty } from '../../shared/property/property-input.ts';
import type { PropertyOwner } from '../../shared/property/property-owner.ts';
import { putAll } from './put-all.ts';

/** Properties as creates would have left them, without the edges that would have been notified. */
export async function putProperties(
  accountId: string,
  sites: readonly CreateProperty[],
): Promise<readonly PropertyOwner[]> {
  const timestamp = new Date().toISOString();
  const counters = [...(await readCounters()).sequences];
  const properties = sites.map((site) => {
    const times = { createdAt: timestamp, updatedAt: timestamp };
    return { accountId, id: newId(), ...site, ...times, version: 1 };
  });
  const changes = properties.map(({ id }) => {
    const shard = Number(shardOf(id));
    counters[shard] = (counters[shard] ?? 0) + 1;
    return { shard: shardOf(id), id, accountId, version: 1, sequence: counters[shard] };
  });
  await putAll('properties', properties);
  await putAll(
    'hostnames',
    properties.flatMap(({ id: propertyId, hostnames }) =>
      hostnames.map((hostname) => ({ hostname, accountId, propertyId })),
    ),
  );
  await putAll('configChanges', changes);
  await putAll(
    'configChanges',
    counters.flatMap((sequence, shard) =>
      sequence > 0 ? [{ shard: 'counters', id: String(shard).padStart(2, '0'), sequence }] : [],
    ),
  );
  return properties.map(({ id }) => ({ accountId, propertyId: id }));
}
