import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { secretsManager } from '../../../shared/aws/secrets-manager.ts';
import { fromEnvironment, type SecretName, secretVariable } from '../../../shared/ground/resources.ts';

/** Makes the value the current one, and the current one the previous. @returns the new version's id */
export async function putSecret(name: SecretName, value: string): Promise<string> {
  const { VersionId } = await secretsManager().send(
    new PutSecretValueCommand({ SecretId: fromEnvironment(secretVariable(name)), SecretString: value }),
  );
  if (!VersionId) throw new Error('Secrets Manager responded without a version');
  return VersionId;
}
