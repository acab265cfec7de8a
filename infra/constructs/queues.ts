import { Duration, Stack } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { namesOf } from '../../shared/ground/names.ts';
import { type QueueName, queues } from '../../shared/ground/resources.ts';
import { physicalDeadLetterQueueName, physicalQueueName } from '../definition/physical-names.ts';
import { pascalCase } from './logical-id.ts';

/** Each queue and its dead-letter queue. */
export class Queues extends Construct {
  private readonly byName = new Map<QueueName, Queue>();
  private readonly deadLettersByName = new Map<QueueName, Queue>();

  constructor(scope: Construct, id: string) {
    super(scope, id);
    for (const name of namesOf(queues)) this.create(name);
  }

  private create(name: QueueName): void {
    const { stackName } = Stack.of(this);
    const { visibilitySeconds, maxReceiveCount } = queues[name];
    const common = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    };
    const deadLetterQueue = new Queue(this, `${pascalCase(name)}DeadLetter`, {
      queueName: physicalDeadLetterQueueName(stackName, name),
      ...common,
    });
    this.deadLettersByName.set(name, deadLetterQueue);
    this.byName.set(
      name,
      new Queue(this, pascalCase(name), {
        queueName: physicalQueueName(stackName, name),
        ...common,
        visibilityTimeout: Duration.seconds(visibilitySeconds),
        deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount },
      }),
    );
  }

  get(name: QueueName): Queue {
    return found(this.byName, name);
  }

  deadLetters(name: QueueName): Queue {
    return found(this.deadLettersByName, name);
  }
}

function found(queues: ReadonlyMap<QueueName, Queue>, name: QueueName): Queue {
  const queue = queues.get(name);
  if (!queue) throw new Error(`There is no queue ${name}`);
  return queue;
}
