import { Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Figure } from './figure.ts';

/** Of 24 columns. */
const width = 8;

/** One graph for each kind of figure, with the values from which on the alarms ring. */
export function addDashboard(scope: Construct, figures: readonly Figure[]): void {
  const graphs = Map.groupBy(figures, ({ graph }) => graph);
  new Dashboard(scope, 'Dashboard', {
    dashboardName: Stack.of(scope).stackName,
    widgets: [[...graphs].map(([title, shown]) => graphOf(title, shown))],
  });
}

function graphOf(title: string, figures: readonly Figure[]): GraphWidget {
  const thresholds = new Set(figures.map(({ threshold }) => threshold));
  return new GraphWidget({
    title,
    width,
    left: figures.flatMap(({ metric, beside }) => (beside ? [metric, beside] : [metric])),
    leftYAxis: { min: 0 },
    leftAnnotations: [...thresholds].map((value) => ({ value, label: 'Alarm' })),
  });
}
