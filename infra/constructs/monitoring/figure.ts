import { Duration } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** What an operator should know of: an alarm, and its line on the dashboard. */
export interface Figure {
  readonly name: string;
  /** The graph on the dashboard, which figures of one kind share. */
  readonly graph: string;
  readonly metric: IMetric;
  /** Shown with it, for comparison. */
  readonly beside?: IMetric;
  /** From which value on something is wrong. */
  readonly threshold: number;
  /** In how many of how many periods, so that a passing trouble wakes nobody; in one by default. */
  readonly periods?: readonly [wrong: number, of: number];
  /** Whether no value at all is as bad as a wrong one. */
  readonly isNeeded?: true;
  /** What it says when the alarm rings. */
  readonly meaning: string;
  /** The operator's command that says more. */
  readonly command: string;
}

export const fiveMinutes = { period: Duration.minutes(5) };
export const countedByMinute = { period: Duration.minutes(1), statistic: 'Sum' };

/** One 503 wakes nobody. */
export const lasting = [3, 5] as const;
