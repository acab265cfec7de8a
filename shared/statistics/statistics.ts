import * as z from 'zod';
import { exampleIds, examples } from '../http/examples.ts';
import { Time } from '../http/time.ts';
import { Point, Totals } from './totals.ts';

const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;
const fault = 'must be a time like 2026-11-20T09:30:00Z, or a day like 2026-11-20';

const Moment = z.string().regex(isoTime, fault).refine(isOfOurTime, fault).optional();

const groupings = ['property', 'edge', 'status', 'cache'] as const;

export const StatisticsQuery = z.strictObject({
  from: Moment.describe(
    'Where the time range begins, rounded down to a bucket. Default: 24 hours before to.',
  ),
  to: Moment.describe('Where it ends, rounded up; not in the range itself. Default: now.'),
  granularity: z
    .enum(['minute', 'hour', 'day'], 'must be minute, hour or day')
    .default('hour')
    .describe('Width of a bucket. Minutes are kept 35 days, hours 400 days, days 3 years.'),
  groupBy: z
    .enum(groupings, `must be ${groupings.slice(0, -1).join(', ')} or ${groupings.at(-1)}`)
    .optional()
    .describe('Shows the same numbers by group too.'),
});
export type StatisticsQuery = z.output<typeof StatisticsQuery>;

const series = z.array(Point).describe('A point for each bucket, empty ones included, in the order of time.');

const StatisticsGroup = z
  .object({
    key: z
      .string()
      .describe(
        'Id of the property or edge; the status, such as 404 (a rare one as its class, such as 4xx); hit, miss or pass; or other for all groups that are not shown.',
      ),
    totals: Totals.describe('Sums of the group over the time range.'),
    series,
  })
  .meta({ id: 'StatisticsGroup', description: 'The numbers of one group.' });

const totals = {
  requests: 3,
  bytes: 4_096,
  hits: 1,
  misses: 1,
  passes: 1,
  hitRatio: 0.5,
  status2xx: 2,
  status3xx: 0,
  status4xx: 1,
  status5xx: 0,
};
const point = { time: '2026-11-20T09:00:00.000Z', complete: true, ...totals };

export const Statistics = z
  .object({
    from: Time.describe('Where the first bucket begins.'),
    to: Time.describe('Where the last bucket ends.'),
    granularity: z.enum(['minute', 'hour', 'day']).describe('Width of a bucket.'),
    totals: Totals.describe('Sums over the time range.'),
    series,
    groups: z
      .array(StatisticsGroup)
      .optional()
      .describe(
        'With groupBy: the busiest groups first, at most 100, and fewer where a long series would make the response too large; the rest is other.',
      ),
  })
  .meta({ id: 'Statistics', description: 'What the edges served.' })
  .register(examples, {
    statistics: {
      from: '2026-11-20T09:00:00.000Z',
      to: '2026-11-20T10:00:00.000Z',
      granularity: 'hour',
      totals,
      series: [point],
      groups: [{ key: exampleIds.property, totals, series: [point] }],
    },
  });
export type Statistics = z.input<typeof Statistics>;

/** Later and earlier ones would not even be dates that can be written so. */
function isOfOurTime(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return year >= 2000 && year < 2100;
}
