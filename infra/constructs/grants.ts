import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  type DistributionAction,
  type EncryptionKeyName,
  keyVariable,
  type QueueName,
  queueVariable,
  type SecretName,
  type SettingName,
  secretVariable,
  settingVariable,
  type TableName,
  type Touches,
  tableVariable,
} from '../../shared/ground/resources.ts';
import type { EncryptionKeys } from './encryption-keys.ts';
import type { Queues } from './queues.ts';
import type { Secrets } from './secrets.ts';
import type { SettingParameters } from './setting-parameters.ts';
import type { Tables } from './tables.ts';

export interface Resources {
  readonly tables: Tables;
  readonly queues: Queues;
  readonly keys: EncryptionKeys;
  readonly secrets: Secrets;
  readonly settings: SettingParameters;
  /** Those that the deployment allows. */
  readonly distributionArns: readonly string[];
}

interface Granted {
  readonly statements: readonly PolicyStatement[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The only way to a grant: what the declaration says, each action on each resource by name. */
export function grantsOf(
  touches: Touches,
  { tables, queues, keys, secrets, settings, distributionArns }: Resources,
): Granted {
  const onTables = entries<TableName, string>(touches.tables);
  const onQueues = entries<QueueName, string>(touches.queues);
  const onKeys = entries<EncryptionKeyName, string>(touches.keys);
  const onSecrets = entries<SecretName, string>(touches.secrets);
  const read: readonly SettingName[] = touches.settings ?? [];
  return {
    statements: [
      ...onTables.map(([name, actions]) => allow('dynamodb', actions, tables.get(name).tableArn)),
      ...onQueues.map(([name, actions]) => allow('sqs', actions, queues.get(name).queueArn)),
      ...onKeys.map(([name, actions]) => allow('kms', actions, keys.get(name).keyArn)),
      ...onSecrets.map(([name, actions]) => allow('secretsmanager', actions, secrets.get(name).secretArn)),
      ...onDistributions(touches.distributions, distributionArns),
    ],
    environment: Object.fromEntries([
      ...onTables.map(([name]) => [tableVariable(name), tables.get(name).tableName]),
      ...onQueues.map(([name]) => [queueVariable(name), queues.get(name).queueUrl]),
      ...onKeys.map(([name]) => [keyVariable(name), keys.get(name).keyArn]),
      ...onSecrets.map(([name]) => [secretVariable(name), secrets.get(name).secretArn]),
      ...read.map((name) => [settingVariable(name), settings.get(name)]),
    ]),
  };
}

function entries<Name extends string, Action>(
  declared: Partial<Record<Name, readonly Action[]>> = {},
): [Name, readonly Action[]][] {
  return Object.entries(declared) as [Name, readonly Action[]][];
}

function allow(service: string, actions: readonly string[], resource: string): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map((action) => `${service}:${action}`),
    resources: [resource],
  });
}

function onDistributions(
  actions: readonly DistributionAction[] = [],
  arns: readonly string[],
): readonly PolicyStatement[] {
  return actions.length > 0 ? arns.map((arn) => allow('cloudfront', actions, arn)) : [];
}
