import {
  durations,
  edgeRequestMilliseconds,
  keptMonths,
  logLineMilliseconds,
  pollers,
  pollSeconds,
  prices,
} from './prices.ts';
import type { Standing, Usage } from './usage.ts';

/** Dollars by line item. */
export type Charge = Readonly<Record<string, number>>;

const gigabyte = 2 ** 30;
const secondsInAMonth = 30 * 24 * 3600;

export function charge(usage: Usage): Charge {
  return {
    'API Gateway': usage.apiRequests * prices.apiRequest,
    Lambda: lambdaDollars(usage),
    DynamoDB: usage.writeUnits * prices.writeUnit + usage.readUnits * prices.readUnit,
    Storage: storageDollars(usage.storedBytes),
    SQS: usage.sqsRequests * prices.sqsRequest,
    Logs: (usage.logBytes / gigabyte) * prices.logGigabyte,
    Egress: (usage.sentBytes / gigabyte) * prices.sentGigabyte,
    'KMS, secrets': usage.kmsRequests * prices.kmsRequest + usage.secretRequests * prices.secretRequest,
    CloudFront: usage.invalidationPaths * prices.invalidationPath,
  };
}

/** A month of what is there, and of asking its queues for messages. */
export function monthlyCharge(standing: Standing): Charge {
  const polls = standing.eventSources * pollers * (secondsInAMonth / pollSeconds);
  return {
    Polling: polls * prices.sqsRequest,
    Keys: standing.keys * prices.kmsKeyMonth,
    Secret: standing.secrets * prices.secretMonth,
    Alarms: standing.alarmMetrics * prices.alarmMetricMonth,
    Metrics: standing.customMetrics * prices.customMetricMonth,
    Dashboard: standing.dashboards * prices.dashboardMonth,
  };
}

/** What so many operations would cost where the given number did what was counted. */
export function scaled(dollars: Charge, counted: number, wanted: number): Charge {
  return Object.fromEntries(Object.entries(dollars).map(([item, each]) => [item, (each / counted) * wanted]));
}

export function total(dollars: Charge): number {
  return Object.values(dollars).reduce((sum, each) => sum + each, 0);
}

/** @throws Error for a function whose duration nobody has assumed */
function lambdaDollars({ functions, edgeRequests, logLines }: Usage): number {
  const beside: Readonly<Record<string, number>> = {
    'purge-consumer': edgeRequests * edgeRequestMilliseconds,
    'edge-log-create': logLines * logLineMilliseconds,
  };
  return Object.entries(functions).reduce((sum, [name, { calls, messages, memoryMegabytes }]) => {
    const duration = durations[name];
    if (!duration) throw new Error(`prices.ts has no duration of ${name}`);
    const { callMilliseconds, messageMilliseconds = 0 } = duration;
    const milliseconds = calls * callMilliseconds + messages * messageMilliseconds + (beside[name] ?? 0);
    const gigabyteSeconds = (milliseconds / 1000) * (memoryMegabytes / 1024);
    return sum + calls * prices.lambdaRequest + gigabyteSeconds * prices.lambdaGigabyteSecond;
  }, 0);
}

function storageDollars(bytes: number): number {
  const months = (bytes / gigabyte) * keptMonths;
  return months * (prices.storedGigabyteMonth + prices.recoverableGigabyteMonth);
}
