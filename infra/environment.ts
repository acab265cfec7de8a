import { patienceVariable } from '../shared/aws/client-settings.ts';
import { namesOf } from '../shared/ground/names.ts';
import {
  encryptionKeys,
  keyVariable,
  secrets,
  secretVariable,
  tables,
  tableVariable,
} from '../shared/ground/resources.ts';
import { physicalKeyAlias, physicalSecretName, physicalTableName } from './definition/physical-names.ts';

/** A laptop that stands still for seconds fails no request: a function of the API has 15 s. */
const patienceMilliseconds = 10_000;

/** Where a local run serves AWS, as the SDK's own variables say it. */
export interface LocalEndpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly kms: string;
  readonly secretsManager: string;
  readonly lambda: string;
  /** Only where something stands in for it. */
  readonly cloudfront?: string | undefined;
}

/** The variables under which the shared code finds a stack's tables and keys by their physical names. */
export function stackEnvironment(stack: string): Record<string, string> {
  return {
    ...Object.fromEntries(
      namesOf(tables).map((name) => [tableVariable(name), physicalTableName(stack, name)]),
    ),
    ...Object.fromEntries(
      namesOf(encryptionKeys).map((name) => [keyVariable(name), physicalKeyAlias(stack, name)]),
    ),
    ...Object.fromEntries(
      namesOf(secrets).map((name) => [secretVariable(name), physicalSecretName(stack, name)]),
    ),
  };
}

export function localEnvironment(endpoints: LocalEndpoints, region: string): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    [patienceVariable]: String(patienceMilliseconds),
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_KMS: endpoints.kms,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    ...(endpoints.cloudfront && { AWS_ENDPOINT_URL_CLOUDFRONT: endpoints.cloudfront }),
  };
}
