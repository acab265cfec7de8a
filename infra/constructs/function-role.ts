import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { FunctionDeclaration } from '../../shared/ground/function.ts';
import type { EdgeNetwork } from './edge-network.ts';
import type { Queues } from './queues.ts';

interface Allowed {
  readonly name: string;
  readonly declaration: FunctionDeclaration;
  /** For what the declaration touches. */
  readonly granted: readonly PolicyStatement[];
  readonly logGroupArn: string;
  readonly queues: Queues;
  /** Names of the functions this one may invoke. */
  readonly invokes: readonly string[];
  /** The network in which it runs, where that is not Lambda's own. */
  readonly network: EdgeNetwork | undefined;
}

/** The role of one function, which allows what its declaration says and no more. */
export function functionRole(
  scope: Construct,
  { name, declaration, granted, logGroupArn, queues, invokes, network }: Allowed,
): Role {
  const statements = [
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroupArn]),
    ...granted,
    ...invocation(invokes.map((invoked) => functionArn(scope, invoked))),
    ...consumption(declaration, queues),
    ...(network?.statements(functionArn(scope, name)) ?? []),
  ];
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { declared: new PolicyDocument({ statements }) },
  });
  network?.acknowledgeStatements(role);
  return role;
}

function functionArn(scope: Construct, name: string): string {
  const stack = Stack.of(scope);
  return stack.formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: `${stack.stackName}-${name}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

function invocation(arns: string[]): readonly PolicyStatement[] {
  return arns.length > 0 ? [allow(['lambda:InvokeFunction'], arns)] : [];
}

function consumption({ consumes }: FunctionDeclaration, queues: Queues): readonly PolicyStatement[] {
  if (!consumes) return [];
  const actions = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
  return [allow(actions, [queues.get(consumes).queueArn])];
}

function allow(actions: string[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ effect: Effect.ALLOW, actions, resources });
}
