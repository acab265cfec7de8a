import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { namesOf } from '../../shared/ground/names.ts';
import { type SecretName, secrets } from '../../shared/ground/resources.ts';
import { physicalSecretName } from '../definition/physical-names.ts';
import { acknowledge } from './acknowledge.ts';
import { pascalCase } from './logical-id.ts';

const keyCharacters = 64;

/** Random secrets that Secrets Manager makes itself, so that no template or log ever holds one. */
export class Secrets extends Construct {
  private readonly byName = new Map<SecretName, Secret>();

  constructor(scope: Construct, id: string) {
    super(scope, id);
    for (const name of namesOf(secrets)) {
      const secret = new Secret(this, pascalCase(name), {
        secretName: physicalSecretName(Stack.of(this).stackName, name),
        generateSecretString: { passwordLength: keyCharacters, excludePunctuation: true },
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      });
      this.byName.set(name, secret);
    }
    acknowledge(
      this,
      'SMG4',
      'The signing key is rotated by the operator’s command, never within one token lifetime of the last.',
    );
  }

  get(name: SecretName): Secret {
    const secret = this.byName.get(name);
    if (!secret) throw new Error(`There is no secret ${name}`);
    return secret;
  }
}
