/**
 * List prices of us-east-1 in dollars, without any free tier, as the pages named beside them give them. Nothing else in
 * the reckoning knows a price.
 */
export const prices = {
  /** https://aws.amazon.com/api-gateway/pricing/ (REST, the first 333 million a month) */
  apiRequest: 3.5 / 1e6,
  /** https://aws.amazon.com/lambda/pricing/ (Arm) */
  lambdaRequest: 0.2 / 1e6,
  lambdaGigabyteSecond: 0.0000133334,
  /** https://aws.amazon.com/dynamodb/pricing/on-demand/ (standard table class) */
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  storedGigabyteMonth: 0.25,
  /** The same page: point-in-time recovery, which every table has. */
  recoverableGigabyteMonth: 0.2,
  /** https://aws.amazon.com/sqs/pricing/ (standard queues, for each 64 KB) */
  sqsRequest: 0.4 / 1e6,
  /** https://aws.amazon.com/kms/pricing/ */
  kmsRequest: 0.03 / 1e4,
  kmsKeyMonth: 1,
  /** https://aws.amazon.com/secrets-manager/pricing/ */
  secretRequest: 0.05 / 1e4,
  secretMonth: 0.4,
  /** https://aws.amazon.com/cloudwatch/pricing/ (Lambda's logs, the first 10 TB a month; each metric of an alarm) */
  logGigabyte: 0.5,
  alarmMetricMonth: 0.1,
  customMetricMonth: 0.3,
  dashboardMonth: 3,
  /** https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer (to the internet, the first 10 TB a month) */
  sentGigabyte: 0.09,
  /** https://aws.amazon.com/cloudfront/pricing/ */
  invalidationPath: 0.005,
} as const;

/** How long a function's call is billed for. */
interface Duration {
  readonly callMilliseconds: number;
  readonly messageMilliseconds?: number;
}

/**
 * Assumed, since nothing was deployed: warm calls at 512 MB, which is 0.29 of a CPU. A round trip to DynamoDB or SQS counts
 * 5 ms, one to an edge 20, one to CloudFront 100; a call of the SDK takes 0.4 ms of a whole CPU (measured), and so 1.4.
 */
export const durations: Readonly<Record<string, Duration>> = {
  authorizer: { callMilliseconds: 12 },
  'purge-create': { callMilliseconds: 20 },
  'purge-consumer': { callMilliseconds: 40, messageMilliseconds: 4 },
  'invalidation-consumer': { callMilliseconds: 120, messageMilliseconds: 4 },
  'purge-list': { callMilliseconds: 20 },
  'property-list': { callMilliseconds: 20 },
  'edge-log-create': { callMilliseconds: 40 },
  'catch-up-schedule': { callMilliseconds: 30 },
};

/** What a request to an edge takes of the consumer: its CPU by `npm run bench -- consumer-cpu`, at 0.29 of a CPU. */
export const edgeRequestMilliseconds = 0.3;

/** The same of a line of an edge's log: 2 µs of a whole CPU by `npm run bench -- log-line`. */
export const logLineMilliseconds = 0.007;

/** How often CloudFront is asked whether an invalidation is done: it takes 20 s, and is asked every 2 s. Assumed. */
export const invalidationPolls = 10;

/**
 * Lambda asks an idle queue by so many connections, each for 20 s, and by no fewer where the concurrency is limited:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export const pollers = 5;
export const pollSeconds = 20;

/** How long what is stored is kept: a purge's record for 30 days. */
export const keptMonths = 1;
