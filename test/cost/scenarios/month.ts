import { type CostRun, stackName } from '../cost-run.ts';
import { type Measured, measure, scheduleName } from '../measure.ts';
import type { Standing } from '../usage.ts';

const calls = 20;

/** What calls itself each minute. */
export function measureSchedule(run: CostRun): Promise<Measured> {
  const call = (): Promise<unknown> => run.functions.invoke(`${stackName}-${scheduleName}`, {});
  return measure(run, {
    name: 'calls of the schedule',
    count: calls,
    isAskedFor: (functionName) => functionName === scheduleName,
    before: async () => void (await call()),
    work: async () => {
      for (let index = 0; index < calls; index += 1) await call();
    },
  });
}

interface AlarmMetric {
  readonly MetricStat?: { readonly Metric: AlarmedMetric };
}

interface AlarmedMetric {
  readonly Namespace: string;
  readonly MetricName: string;
}

/** What the template makes that is there all the time. */
export function standingOf({ template }: CostRun): Standing {
  const count = (type: string): number => template.ofType(type).length;
  const alarmed = template.ofType('AWS::CloudWatch::Alarm').flatMap(([, { Properties }]) => {
    const metrics = (Properties.Metrics ?? []) as readonly AlarmMetric[];
    const metric = Properties as unknown as AlarmedMetric;
    return Properties.Metrics ? metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []) : [metric];
  });
  const own = alarmed.filter(({ Namespace }) => !Namespace.startsWith('AWS/'));
  return {
    keys: count('AWS::KMS::Key'),
    secrets: count('AWS::SecretsManager::Secret'),
    alarmMetrics: alarmed.length,
    customMetrics: new Set(own.map(({ MetricName }) => MetricName)).size,
    dashboards: count('AWS::CloudWatch::Dashboard'),
    eventSources: count('AWS::Lambda::EventSourceMapping'),
  };
}
