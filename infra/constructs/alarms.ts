import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { edgeLaggingMessage } from '../../shared/edge/lagging.ts';
import type { Options } from '../definition/options.ts';
import type { Queues } from './queues.ts';

const period = Duration.minutes(5);
const oldestMessageSeconds = 300;

interface Watched {
  readonly queues: Queues;
  readonly api: RestApi;
  /** Where the schedule says which edges are lagging. */
  readonly scheduleLogs: LogGroup;
}

/** What a platform team wants to be woken by; the topic to tell is the deployment's choice. */
export class Alarms extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { queues, api, scheduleLogs }: Watched,
    { alarmTopicArn }: Options,
  ) {
    super(scope, id);
    const topic = alarmTopicArn ? Topic.fromTopicArn(this, 'Topic', alarmTopicArn) : undefined;
    const alarm = (name: string, metric: IMetric, threshold: number, description: string): void => {
      const created = new Alarm(this, name, {
        metric,
        threshold,
        alarmDescription: description,
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      if (topic) created.addAlarmAction(new SnsAction(topic));
    };
    for (const [index, queue] of queues.deadLetterQueues.entries()) {
      const metric = queue.metricApproximateNumberOfMessagesVisible({ period });
      alarm(
        `DeadLetters${index}`,
        metric,
        1,
        'A message could not be handled and waits in a dead-letter queue.',
      );
    }
    alarm(
      'OldestPurge',
      queues.get('purge').metricApproximateAgeOfOldestMessage({ period }),
      oldestMessageSeconds,
      'Purges wait in the queue for minutes.',
    );
    const edgesLagging = new MetricFilter(this, 'EdgesLaggingLines', {
      logGroup: scheduleLogs,
      filterPattern: FilterPattern.stringValue('$.message.message', '=', edgeLaggingMessage),
      metricNamespace: Stack.of(this).stackName,
      metricName: 'EdgesLagging',
    });
    alarm(
      'EdgesLagging',
      edgesLagging.metric({ period, statistic: 'Sum' }),
      1,
      'An edge lags for more than 15 minutes.',
    );
    alarm(
      'ServerErrors',
      api.metricServerError({ period, statistic: 'Sum' }),
      1,
      'The API responded with 5xx.',
    );
    alarm('Throttles', LambdaFunction.metricAllThrottles({ period }), 1, 'Lambda throttled the account.');
  }
}
