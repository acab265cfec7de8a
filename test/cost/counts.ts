import { markdownTable } from './markdown-table.ts';
import type { Measured } from './measure.ts';
import type { Usage } from './usage.ts';

const columns: Readonly<Record<string, (usage: Usage) => number>> = {
  'API requests': ({ apiRequests }) => apiRequests,
  'Lambda calls': ({ functions }) => Object.values(functions).reduce((sum, { calls }) => sum + calls, 0),
  'Write units': ({ writeUnits }) => writeUnits,
  'Read units': ({ readUnits }) => readUnits,
  'Stored bytes': ({ storedBytes }) => storedBytes,
  'SQS requests': ({ sqsRequests }) => sqsRequests,
  'Log bytes': ({ logBytes }) => logBytes,
  'Sent bytes': ({ sentBytes }) => sentBytes,
  'KMS, secrets': ({ kmsRequests, secretRequests }) => kmsRequests + secretRequests,
  'CloudFront paths': ({ invalidationPaths }) => invalidationPaths,
};

/** A table in Markdown of what one of each took on average. */
export function countsOf(measured: readonly Measured[]): string {
  const rows = measured.map(({ name, count, usage }) => [
    name,
    ...Object.values(columns).map((of) => String(Number((of(usage) / count).toPrecision(3)))),
  ]);
  return markdownTable(['One of', ...Object.keys(columns)], rows);
}
