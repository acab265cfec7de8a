import { kebabCase } from './names.ts';

/**
 * Every table, queue and key of the service, by the name that declarations use: the stack creates them from
 * this list, and a function finds the physical name in the environment variable named here.
 */
export interface TableDefinition {
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** Attribute that holds the expiry in Unix seconds. */
  readonly timeToLive?: string;
}

export const tables = {
  accounts: { partitionKey: 'accountId' },
  apiKeys: { partitionKey: 'hash' },
  accountApiKeys: { partitionKey: 'accountId', sortKey: 'id' },
  users: { partitionKey: 'username' },
  accountUsers: { partitionKey: 'accountId', sortKey: 'username' },
  loginTokens: { partitionKey: 'hash', timeToLive: 'expiresAt' },
  idempotency: { partitionKey: 'key', timeToLive: 'expiresAt' },
  properties: { partitionKey: 'accountId', sortKey: 'id' },
  hostnames: { partitionKey: 'hostname' },
  rules: { partitionKey: 'propertyId', sortKey: 'id' },
  configChanges: { partitionKey: 'shard', sortKey: 'id', timeToLive: 'expiresAt' },
  deployments: { partitionKey: 'propertyId', sortKey: 'edgeId' },
  purges: { partitionKey: 'shard', sortKey: 'id', timeToLive: 'expiresAt' },
  purgeContents: { partitionKey: 'shard', sortKey: 'id', timeToLive: 'expiresAt' },
  purgeCounts: { partitionKey: 'propertyId', sortKey: 'day', timeToLive: 'expiresAt' },
  queueStates: { partitionKey: 'queue' },
  tickets: { partitionKey: 'accountId', sortKey: 'position' },
  ticketMessages: { partitionKey: 'ticketId', sortKey: 'position' },
  edges: { partitionKey: 'registry', sortKey: 'id' },
  edgeIndex: { partitionKey: 'term', sortKey: 'edgeId' },
  edgeSyncs: { partitionKey: 'edgeId' },
  hints: { partitionKey: 'edgeBucket', sortKey: 'propertyId' },
  statistics: { partitionKey: 'series', sortKey: 'slot', timeToLive: 'expiresAt' },
  logBatches: { partitionKey: 'batchId', sortKey: 'part', timeToLive: 'expiresAt' },
} as const satisfies Record<string, TableDefinition>;

export interface QueueDefinition {
  readonly name: string;
  /** At least six times the time limit of the function that consumes it. */
  readonly visibilitySeconds: number;
  /** How many messages its function is handed at a time. */
  readonly batchSize: number;
  /** How long messages are gathered for it. */
  readonly batchingWindowSeconds?: number;
  /** How many of its environments take messages at the same time. */
  readonly maxConcurrency?: number;
  /** How often a message is tried before it goes to the dead-letter queue. */
  readonly maxReceiveCount: number;
}

export const queues = {
  purge: { name: 'purge', visibilitySeconds: 180, batchSize: 10, maxReceiveCount: 60 },
  catchUp: { name: 'catch-up', visibilitySeconds: 360, batchSize: 2, maxReceiveCount: 60 },
  invalidation: {
    name: 'invalidation',
    visibilitySeconds: 360,
    batchSize: 1_000,
    batchingWindowSeconds: 1,
    maxConcurrency: 2,
    maxReceiveCount: 60,
  },
  configNotification: {
    name: 'config-notification',
    visibilitySeconds: 60,
    batchSize: 10,
    maxConcurrency: 2,
    maxReceiveCount: 5,
  },
} as const satisfies Record<string, QueueDefinition>;

export const encryptionKeys = {
  edgeSecrets: { alias: 'edge-secrets' },
  totpSecrets: { alias: 'totp-secrets' },
} as const;

/** Made by the deployment itself, in Secrets Manager; each version's id names the key in it. */
export const secrets = {
  signingKey: { name: 'signing-key' },
} as const;

/** Choices of a deployment, template parameters that functions read from their environment. */
export const settings = {
  allowPrivateOrigins: {
    parameter: 'AllowPrivateOrigins',
    description: 'Whether origins may lie on loopback, private and other internal addresses: true or false.',
    pattern: 'true|false',
    default: 'false',
  },
  tokenLifetimeSeconds: {
    parameter: 'TokenLifetimeSeconds',
    description: 'How long an access token is valid, in seconds, from 60 to 999999.',
    pattern: '[6-9][0-9]|[1-9][0-9]{2,5}',
    default: '86400',
  },
} as const;

export type TableName = keyof typeof tables;
export type QueueName = keyof typeof queues;
export type EncryptionKeyName = keyof typeof encryptionKeys;
export type SecretName = keyof typeof secrets;
export type SettingName = keyof typeof settings;

type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | 'ConditionCheckItem'
  | 'Query'
  | 'Scan';

type QueueAction = 'SendMessage' | 'ChangeMessageVisibility' | 'GetQueueAttributes';

export type DistributionAction = 'CreateInvalidation' | 'GetInvalidation' | 'ListInvalidations';

/** What a function may touch, and how; the only source of its grants and of its environment. */
export interface Touches {
  readonly tables?: Partial<Record<TableName, readonly TableAction[]>>;
  readonly queues?: Partial<Record<QueueName, readonly QueueAction[]>>;
  readonly keys?: Partial<Record<EncryptionKeyName, readonly ('Encrypt' | 'Decrypt')[]>>;
  readonly secrets?: Partial<Record<SecretName, readonly 'GetSecretValue'[]>>;
  readonly settings?: readonly SettingName[];
  /** On those CloudFront distributions that the deployment allows. */
  readonly distributions?: readonly DistributionAction[];
  /** Whether it writes metrics into its log, which are the stack's own. */
  readonly metrics?: true;
}

export const metricNamespaceVariable = 'METRIC_NAMESPACE';

export function tableVariable(name: TableName): string {
  return `${constantCase(name)}_TABLE`;
}

export function queueVariable(name: QueueName): string {
  return `${constantCase(name)}_QUEUE_URL`;
}

export function keyVariable(name: EncryptionKeyName): string {
  return `${constantCase(name)}_KEY_ARN`;
}

export function secretVariable(name: SecretName): string {
  return `${constantCase(name)}_SECRET_ID`;
}

export function settingVariable(name: SettingName): string {
  return constantCase(name);
}

/** @throws Error when the function's declaration does not name the resource */
export function fromEnvironment(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: the function's declaration must name what it touches`);
  return value;
}

function constantCase(name: string): string {
  return kebabCase(name).replaceAll('-', '_').toUpperCase();
}
