import { Stack } from 'aws-cdk-lib';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { edgeLaggingMessage } from '../../../shared/edge/lagging.ts';
import { configLaggingMessage } from '../../../shared/edge-config/config-lag.ts';
import { purgesGivenUpMessage } from '../../../shared/invalidation/next-message.ts';

/** What only log lines say, as metrics. */
export class LoggedFaults extends Construct {
  readonly edgesLagging: MetricFilter;
  readonly configLagging: MetricFilter;
  readonly purgesGivenUp: MetricFilter;

  /** @param logOf the log group of a function */
  constructor(scope: Construct, id: string, logOf: (functionName: string) => LogGroup) {
    super(scope, id);
    this.edgesLagging = this.count('EdgesLagging', edgeLaggingMessage, logOf('catch-up-schedule'));
    this.configLagging = this.count('ConfigLagging', configLaggingMessage, logOf('catch-up-schedule'));
    this.purgesGivenUp = this.count('PurgesGivenUp', purgesGivenUpMessage, logOf('invalidation-consumer'));
  }

  private count(metricName: string, message: string, logGroup: LogGroup): MetricFilter {
    return new MetricFilter(this, metricName, {
      logGroup,
      filterPattern: FilterPattern.stringValue('$.message.message', '=', message),
      metricNamespace: Stack.of(this).stackName,
      metricName,
    });
  }
}
