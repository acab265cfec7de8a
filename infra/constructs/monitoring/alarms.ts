import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Options } from '../../definition/options.ts';
import { pascalCase } from '../logical-id.ts';
import type { Figure } from './figure.ts';

/** What a platform team wants to be woken by; the topic to tell is the deployment's choice. */
export class Alarms extends Construct {
  private readonly topic: ITopic | undefined;

  constructor(scope: Construct, id: string, figures: readonly Figure[], { alarmTopicArn }: Options) {
    super(scope, id);
    this.topic = alarmTopicArn ? Topic.fromTopicArn(this, 'Topic', alarmTopicArn) : undefined;
    for (const figure of figures) this.watch(figure);
  }

  private watch({ name, metric, threshold, periods = [1, 1], isNeeded, meaning, command }: Figure): void {
    const { stackName } = Stack.of(this);
    const alarm = new Alarm(this, pascalCase(name), {
      alarmName: `${stackName}-${name}`,
      alarmDescription: `${meaning} Run: npm run -s operator -- ${command} --stack ${stackName}`,
      metric,
      threshold,
      datapointsToAlarm: periods[0],
      evaluationPeriods: periods[1],
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: isNeeded ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (this.topic) alarm.addAlarmAction(new SnsAction(this.topic));
  }
}
