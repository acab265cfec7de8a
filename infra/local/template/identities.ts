import { awsAccountId, type LocalIdentity, region, type TemplateResource } from './template.ts';

type Identifier = (logicalId: string, resource: TemplateResource) => LocalIdentity;

const byLogicalId: Identifier = (logicalId) => ({ ref: logicalId, attributes: {} });

const identifiers: Readonly<Record<string, Identifier>> = {
  'AWS::DynamoDB::GlobalTable': byName('dynamodb', 'TableName', 'table/'),
  'AWS::Lambda::Function': byName('lambda', 'FunctionName', 'function:'),
  'AWS::Logs::LogGroup': byName('logs', 'LogGroupName', 'log-group:'),
  'AWS::SQS::Queue': (_, resource) => {
    const name = named(resource, 'QueueName');
    return { ref: queueUrl(name), attributes: { Arn: arn('sqs', name), QueueName: name } };
  },
  'AWS::KMS::Key': (logicalId) => ({ ref: logicalId, attributes: { Arn: arn('kms', `key/${logicalId}`) } }),
  'AWS::SecretsManager::Secret': (_, resource) => {
    const id = arn('secretsmanager', `secret:${named(resource, 'Name')}`);
    return { ref: id, attributes: { Id: id } };
  },
  'AWS::IAM::Role': (logicalId) => ({ ref: logicalId, attributes: { Arn: arn('iam', `role/${logicalId}`) } }),
  'AWS::ApiGateway::RestApi': (logicalId) => ({
    ref: logicalId,
    attributes: { RootResourceId: `${logicalId}/` },
  }),
  'AWS::ApiGateway::Resource': byLogicalId,
  'AWS::ApiGateway::Authorizer': byLogicalId,
  'AWS::ApiGateway::Deployment': byLogicalId,
  'AWS::ApiGateway::Stage': (_, resource) => ({ ref: named(resource, 'StageName'), attributes: {} }),
};

/** Only the path of a queue's URL counts: clients take the end point from their environment. */
export function queueUrl(name: string): string {
  return `http://127.0.0.1/${awsAccountId}/${name}`;
}

/** Names and ARNs of the template's resources as this machine has them. */
export function identify(logicalId: string, resource: TemplateResource): LocalIdentity | undefined {
  return identifiers[resource.Type]?.(logicalId, resource);
}

function byName(service: string, property: string, path = ''): Identifier {
  return (_, resource) => {
    const name = named(resource, property);
    return { ref: name, attributes: { Arn: arn(service, path + name) } };
  };
}

function named(resource: TemplateResource, property: string): string {
  const name = resource.Properties[property];
  if (typeof name !== 'string') throw new Error(`A ${resource.Type} of the template has no ${property}`);
  return name;
}

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${region}:${awsAccountId}:${resource}`;
}
