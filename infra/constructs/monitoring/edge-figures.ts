import { Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { completionTimeMetric } from '../../../shared/purge/completion-times.ts';
import { countedByMinute, type Figure, fiveMinutes, lasting } from './figure.ts';
import type { LoggedFaults } from './logged-faults.ts';

/** Whether purges come to the edges, and how soon. */
export function edgeFigures(schedule: LambdaFunction, faults: LoggedFaults): readonly Figure[] {
  return [
    {
      name: 'slow-purges',
      graph: 'From acceptance to completion, in milliseconds',
      metric: completionTime(faults, 'p50'),
      beside: completionTime(faults, 'p99'),
      threshold: 300_000,
      periods: lasting,
      meaning: 'Half of the purges take over 5 minutes until every edge has done them.',
      command: 'status',
    },
    {
      name: 'edges-lagging',
      graph: 'Edges that lag for over 15 minutes',
      metric: faults.edgesLagging.metric(countedByMinute),
      threshold: 1,
      // The schedule is not called in every minute of the clock, and would seem to be over in between.
      periods: [1, 5],
      meaning: 'An edge has not taken purges for over 15 minutes, and may serve old content.',
      command: 'edge list',
    },
    {
      name: 'configuration-lagging',
      graph: 'Edges whose configuration is over 5 minutes old',
      metric: faults.configLagging.metric(countedByMinute),
      threshold: 1,
      periods: [1, 5],
      meaning:
        'An edge has not applied changes of properties for over 5 minutes: its agent does not poll, or fails.',
      command: 'edge list',
    },
    {
      name: 'purges-given-up',
      graph: 'Purges given up on CloudFront',
      metric: faults.purgesGivenUp.metric(countedByMinute),
      threshold: 1,
      meaning: 'CloudFront has not taken purges for 24 hours, is not asked again, and may serve old content.',
      command: 'edge check',
    },
    {
      name: 'schedule-failures',
      graph: 'Failures of the schedule',
      metric: schedule.metricErrors(countedByMinute),
      threshold: 1,
      periods: lasting,
      isNeeded: true,
      meaning:
        'What looks after lagging edges each minute fails, or is not called. In the first minutes of a new stack this is no fault.',
      command: 'doctor',
    },
  ];
}

/** As functions write it in the embedded metric format. */
function completionTime(faults: LoggedFaults, statistic: string): Metric {
  const namespace = Stack.of(faults).stackName;
  return new Metric({ namespace, metricName: completionTimeMetric, statistic, ...fiveMinutes });
}
