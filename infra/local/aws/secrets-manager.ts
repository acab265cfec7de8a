import { randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { DataDirectory } from '../host/data-directory.ts';
import type { Template } from '../template/template.ts';
import { AwsError } from './aws-error.ts';

const file = 'secrets.json';

const Version = z.object({ id: z.string(), value: z.string(), createdSeconds: z.number() });
/** The versions of each secret by its name, the current one first; only two have a stage. */
const Secrets = z.record(z.string(), z.array(Version).min(1).max(2));

const GetInput = z.object({ SecretId: z.string(), VersionStage: z.enum(['AWSCURRENT', 'AWSPREVIOUS']) });
const PutInput = z.object({ SecretId: z.string(), SecretString: z.string() });

/** The few Secrets Manager operations that functions and the operator call; values are made at the first start. */
export function localSecretsManager(template: Template, directory: DataDirectory) {
  const secrets = directory.read(file, Secrets) ?? {};
  for (const [, { Properties }] of template.ofType('AWS::SecretsManager::Secret')) {
    const name = template.resolveText(Properties.Name);
    secrets[name] ??= [newVersion(randomBytes(48).toString('base64url'))];
  }
  directory.writeJson(file, secrets);

  const versionsOf = (secretId: string) => {
    const versions = secrets[nameOf(secretId)];
    if (!versions) throw new AwsError('ResourceNotFoundException', 'There is no such secret');
    return versions;
  };

  return {
    GetSecretValue(input: unknown): object {
      const { SecretId, VersionStage } = GetInput.parse(input);
      const version = versionsOf(SecretId)[VersionStage === 'AWSCURRENT' ? 0 : 1];
      if (!version)
        throw new AwsError('ResourceNotFoundException', 'The secret has no version at that stage');
      const { id, value, createdSeconds } = version;
      return {
        ARN: SecretId,
        Name: nameOf(SecretId),
        VersionId: id,
        SecretString: value,
        CreatedDate: createdSeconds,
      };
    },
    PutSecretValue(input: unknown): object {
      const { SecretId, SecretString } = PutInput.parse(input);
      const version = newVersion(SecretString);
      secrets[nameOf(SecretId)] = [version, ...versionsOf(SecretId).slice(0, 1)];
      directory.writeJson(file, secrets);
      return { ARN: SecretId, Name: nameOf(SecretId), VersionId: version.id, VersionStages: ['AWSCURRENT'] };
    },
  };
}

function newVersion(value: string): z.output<typeof Version> {
  return {
    id: randomUUID(),
    value,
    createdSeconds: Date.now() / 1000,
  };
}

/** A secret is asked for by name or by ARN. */
function nameOf(secretId: string): string {
  return secretId.split(':').at(-1) ?? secretId;
}
