import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../../../shared/aws/dynamodb.ts';
import { physicalName } from '../../../../shared/aws/table-input.ts';
import { namesOf } from '../../../../shared/ground/names.ts';
import { type TableName, tables } from '../../../../shared/ground/resources.ts';
import { shardOf } from '../../../../shared/property/config-change-table.ts';
import { shardsOf } from '../../../../shared/purge/purge-shards.ts';
import type { World } from './world.ts';

type Item = Readonly<Record<string, unknown>>;
type Read = Partial<Record<TableName, readonly Item[]>>;
type Partitions = (world: World, read: Read) => readonly string[];

const ofAccount: Partitions = ({ accountId }) => [accountId];
const ofProperties: Partitions = ({ propertyId }, { properties = [] }) => [
  ...new Set([propertyId, ...idsOf(properties)]),
];
const ofShards: Partitions = (world, read) => ofProperties(world, read).flatMap(shardsOf);
const nothing: Partitions = () => [];

/** Which partitions of a table are the world's, in an order in which each knows those that it needs. */
const partitions: Readonly<Record<TableName, Partitions>> = {
  accounts: ofAccount,
  accountApiKeys: ofAccount,
  apiKeys: (_, { accountApiKeys = [] }) => accountApiKeys.flatMap(({ hash }) => (hash ? [String(hash)] : [])),
  accountUsers: ofAccount,
  users: ({ username }) => [username],
  properties: ofAccount,
  hostnames: ({ domain }) => [domain, `www.${domain}`, madeDomain(domain), `www.${madeDomain(domain)}`],
  rules: ofProperties,
  configChanges: (world, read) => [...new Set(ofProperties(world, read).map(shardOf))],
  deployments: ofProperties,
  purges: ofShards,
  purgeContents: ofShards,
  purgeCounts: ofProperties,
  tickets: ofAccount,
  ticketMessages: (_, { tickets = [] }) => idsOf(tickets),
  statistics: ({ accountId, propertyId }) =>
    [...['m', 'h', 'd'].flatMap((letter) => [`${accountId}#${letter}`, `${propertyId}#${letter}`])].concat(
      `${accountId}#properties`,
    ),
  // They only make sure of the others.
  loginTokens: nothing,
  idempotency: nothing,
  logBatches: nothing,
  // They are of no account.
  queueStates: nothing,
  edges: nothing,
  edgeIndex: nothing,
  edgeSyncs: nothing,
  hints: nothing,
};

/** Tables of which others' partitions are known. */
const keys: ReadonlySet<TableName> = new Set(['accountApiKeys', 'properties', 'tickets']);

/** Below which a request makes what is new. */
export function madeDomain(domain: string): string {
  return `made-${domain}`;
}

/** The world's items in the tables that may be other than before. */
export async function readTables(world: World, written: ReadonlySet<TableName>): Promise<Read> {
  const read: Read = {};
  if (written.size === 0) return read;
  for (const name of namesOf(partitions)) {
    if (!written.has(name) && !keys.has(name)) continue;
    const found = await Promise.all(partitions[name](world, read).map((key) => itemsOf(name, key)));
    // A shard of changes has those of other worlds too.
    const own = found.flat().filter(({ accountId = world.accountId }) => accountId === world.accountId);
    read[name] = own.sort(tables[name].partitionKey === 'shard' ? byId : () => 0);
  }
  return read;
}

/** As they were made, whichever shard each is in. */
function byId({ id: one }: Item, { id: other }: Item): number {
  return String(one) < String(other) ? -1 : 1;
}

function idsOf(items: readonly Item[]): readonly string[] {
  return items.flatMap(({ id }) => (typeof id === 'string' && !id.startsWith('#') ? [id] : []));
}

async function itemsOf(name: TableName, key: string): Promise<readonly Item[]> {
  const { Items = [] } = await dynamodb().send(
    new QueryCommand({
      TableName: physicalName(name),
      KeyConditionExpression: '#key = :key',
      ExpressionAttributeNames: { '#key': tables[name].partitionKey },
      ExpressionAttributeValues: { ':key': key },
      ConsistentRead: true,
    }),
  );
  return Items;
}
