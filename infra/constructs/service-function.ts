import { join } from 'node:path';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import {
  Architecture,
  type CfnFunction,
  Code,
  EventSourceMapping,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionDeclaration } from '../../shared/ground/function.ts';
import { metricNamespaceVariable, type QueueDefinition, queues } from '../../shared/ground/resources.ts';
import { corsOriginsVariable } from '../../shared/http/cors.ts';
import { consumerConcurrency } from '../definition/consumer-concurrency.ts';
import type { ServiceFunctionSource } from '../definition/functions.ts';
import type { EdgeNetwork } from './edge-network.ts';
import { functionRole } from './function-role.ts';
import { grantsOf, type Resources } from './grants.ts';
import { pascalCase } from './logical-id.ts';

const memoryMegabytes = 512;

interface ServiceFunctionProps {
  readonly source: ServiceFunctionSource;
  /** Folder of all bundles. */
  readonly bundles: string;
  readonly resources: Resources;
  /** Names of the functions this one may invoke. */
  readonly invokes: readonly string[];
  readonly corsOrigins: string | undefined;
  /** How many of its environments there may be, and are kept for it alone; as many as the account has where undefined. */
  readonly concurrency: number | undefined;
  /** Where it runs when it reaches edges; in Lambda's own network where there is none. */
  readonly edgeNetwork: EdgeNetwork | undefined;
}

/** One Lambda function with a role of its own that allows what its declaration says and no more. */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(
    scope: Construct,
    id: string,
    { source, bundles, resources, invokes, corsOrigins, concurrency, edgeNetwork }: ServiceFunctionProps,
  ) {
    super(scope, id);
    const { name, declaration } = source;
    const network = declaration.reachesEdges ? edgeNetwork : undefined;
    const prefix = Stack.of(this).stackName;
    const granted = grantsOf(declaration.touches, resources);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${prefix}-${name}`,
      retention: RetentionDays.TWO_WEEKS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = functionRole(this, {
      name,
      declaration,
      granted: granted.statements,
      logGroupArn: logGroup.logGroupArn,
      queues: resources.queues,
      invokes,
      network,
    });
    this.logGroup = logGroup;
    this.function = new LambdaFunction(this, 'Function', {
      functionName: `${prefix}-${name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(join(bundles, name)),
      memorySize: memoryMegabytes,
      timeout: Duration.seconds(declaration.timeoutSeconds),
      role,
      logGroup,
      // Each line is an event of JSON, on which a metric can count; without the three lines that a call would write itself.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      ...(concurrency !== undefined && { reservedConcurrentExecutions: concurrency }),
      ...(feedsItself(declaration) && { recursiveLoop: RecursiveLoop.ALLOW }),
      environment: {
        ...granted.environment,
        ...(corsOrigins && { [corsOriginsVariable]: corsOrigins }),
        ...(invokes.length > 0 && { FUNCTION_NAME_PREFIX: prefix }),
        ...(declaration.touches.metrics && { [metricNamespaceVariable]: prefix }),
      },
    });
    const resource = this.function.node.defaultChild as CfnFunction;
    // Stable and readable, because `sam local invoke` and the test events go by it.
    resource.overrideLogicalId(`${pascalCase(name)}Function`);
    if (network) resource.vpcConfig = network.vpcConfig;
    this.consume(source, resources);
    if (declaration.everyMinute) this.schedule();
  }

  private consume({ declaration }: ServiceFunctionSource, resources: Resources): void {
    if (!declaration.consumes) return;
    const queue: QueueDefinition = queues[declaration.consumes];
    new EventSourceMapping(this, 'Messages', {
      target: this.function,
      eventSourceArn: resources.queues.get(declaration.consumes).queueArn,
      batchSize: queue.batchSize,
      maxConcurrency: consumerConcurrency(queue),
      ...(queue.batchingWindowSeconds && {
        maxBatchingWindow: Duration.seconds(queue.batchingWindowSeconds),
      }),
      reportBatchItemFailures: true,
    });
  }

  private schedule(): void {
    new Rule(this, 'Schedule', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaTarget(this.function)],
    });
  }
}

/** Lambda takes a chain of messages to a function's own queue for a mistake, and would end it after some sixteen. */
function feedsItself({ consumes, touches }: FunctionDeclaration): boolean {
  return consumes !== undefined && touches.queues?.[consumes]?.includes('SendMessage') === true;
}
