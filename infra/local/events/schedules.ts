import type { FunctionPool } from '../lambda/function-pool.ts';
import { awsAccountId, region, type Template } from '../template/template.ts';

const millisecondsPer: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Calls the functions that the template's rules call, for the first time after one interval. */
export class Schedules {
  private readonly timers: NodeJS.Timeout[];
  private readonly functions: FunctionPool;

  constructor(template: Template, functions: FunctionPool) {
    this.functions = functions;
    this.timers = template.ofType('AWS::Events::Rule').flatMap(([id, { Properties }]) => {
      const milliseconds = intervalOf(id, template.resolveText(Properties.ScheduleExpression));
      const targets = Properties.Targets as readonly { readonly Arn: unknown }[];
      return targets.map(({ Arn }) => {
        const name = template.resolveText(Arn).split(':').at(-1) ?? '';
        return setInterval(() => this.call(name), milliseconds);
      });
    });
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private call(name: string): void {
    this.functions.invoke(name, eventNow()).catch((error: unknown) => {
      console.error(`the schedule of ${name} failed:`, error instanceof Error ? error.message : error);
    });
  }
}

/** @throws Error for anything but `rate(…)` */
function intervalOf(id: string, expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const milliseconds = Number(count) * (millisecondsPer[unit] ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  throw new Error(`The local run knows schedules of the form rate(1 minute), and ${id} has ${expression}`);
}

function eventNow() {
  return {
    source: 'aws.events',
    'detail-type': 'Scheduled Event',
    account: awsAccountId,
    region,
    time: new Date().toISOString(),
    detail: {},
  };
}
