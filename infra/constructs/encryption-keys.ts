import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { namesOf } from '../../shared/ground/names.ts';
import { type EncryptionKeyName, encryptionKeys } from '../../shared/ground/resources.ts';
import { physicalKeyAlias } from '../definition/physical-names.ts';
import { pascalCase } from './logical-id.ts';

/** The KMS keys; losing one would lose every secret under it. */
export class EncryptionKeys extends Construct {
  private readonly byName = new Map<EncryptionKeyName, Key>();

  constructor(scope: Construct, id: string) {
    super(scope, id);
    for (const name of namesOf(encryptionKeys)) {
      const alias = physicalKeyAlias(Stack.of(this).stackName, name);
      this.byName.set(
        name,
        new Key(this, pascalCase(name), {
          alias,
          enableKeyRotation: true,
          // Cannot be changed later, and without it no other Region could read the secrets.
          multiRegion: true,
          removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        }),
      );
    }
  }

  get(name: EncryptionKeyName): Key {
    const key = this.byName.get(name);
    if (!key) throw new Error(`There is no key ${name}`);
    return key;
  }
}
