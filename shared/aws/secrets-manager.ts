import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { fromEnvironment, type SecretName, secretVariable } from '../ground/resources.ts';
import { clientSettings } from './client-settings.ts';

let client: SecretsManagerClient | undefined;

export interface SecretVersion {
  readonly id: string;
  readonly value: string;
  readonly createdAt: Date;
}

/** @returns undefined while the secret has no version at that stage */
export async function readSecret(
  name: SecretName,
  stage: 'AWSCURRENT' | 'AWSPREVIOUS',
): Promise<SecretVersion | undefined> {
  try {
    const { VersionId, SecretString, CreatedDate } = await secretsManager().send(
      new GetSecretValueCommand({ SecretId: fromEnvironment(secretVariable(name)), VersionStage: stage }),
    );
    if (!VersionId || !SecretString || !CreatedDate) throw new Error(`The secret ${name} has no text in it`);
    return { id: VersionId, value: SecretString, createdAt: CreatedDate };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

export function secretsManager(): SecretsManagerClient {
  client ??= new SecretsManagerClient(clientSettings());
  return client;
}
