import { kebabCase } from '../../shared/ground/names.ts';
import {
  type EncryptionKeyName,
  encryptionKeys,
  type QueueName,
  queues,
  type SecretName,
  secrets,
  type TableName,
} from '../../shared/ground/resources.ts';

/** Physical names carry the stack's name, so that the operator's command needs nothing but `--stack`. */
export function physicalTableName(stack: string, name: TableName): string {
  return `${stack}-${kebabCase(name)}`;
}

export function physicalQueueName(stack: string, name: QueueName): string {
  return `${stack}-${queues[name].name}`;
}

export function physicalDeadLetterQueueName(stack: string, name: QueueName): string {
  return `${physicalQueueName(stack, name)}-dead-letter`;
}

export function physicalKeyAlias(stack: string, name: EncryptionKeyName): string {
  return `alias/${stack}-${encryptionKeys[name].alias}`;
}

export function physicalSecretName(stack: string, name: SecretName): string {
  return `${stack}-${secrets[name].name}`;
}
