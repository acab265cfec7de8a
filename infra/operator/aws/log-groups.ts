import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  DescribeMetricFiltersCommand,
  paginateFilterLogEvents,
  TestMetricFilterCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { clientSettings } from '../../../shared/aws/client-settings.ts';

const mostLines = 40;

let client: CloudWatchLogsClient | undefined;

export async function hasLogGroup(name: string): Promise<boolean> {
  const { logGroups = [] } = await logs().send(new DescribeLogGroupsCommand({ logGroupNamePrefix: name }));
  return logGroups.some(({ logGroupName }) => logGroupName === name);
}

/** The patterns of a log group's metric filters. */
export async function filterPatterns(logGroupName: string): Promise<readonly string[]> {
  const { metricFilters = [] } = await logs().send(new DescribeMetricFiltersCommand({ logGroupName }));
  return metricFilters.map(({ filterPattern = '' }) => filterPattern);
}

/** Those of the lines that a pattern finds, as CloudWatch says. */
export async function foundBy(filterPattern: string, lines: readonly string[]): Promise<readonly string[]> {
  const { matches = [] } = await logs().send(
    new TestMetricFilterCommand({ filterPattern, logEventMessages: [...lines] }),
  );
  return matches.map(({ eventMessage = '' }) => eventMessage);
}

/** Some lines of a log group since a time; not all where there are many. */
export async function linesSince(logGroupName: string, since: Date): Promise<readonly string[]> {
  const lines: string[] = [];
  const asked = { logGroupName, startTime: since.getTime(), limit: mostLines };
  for await (const { events = [] } of paginateFilterLogEvents({ client: logs() }, asked)) {
    lines.push(...events.map(({ message = '' }) => message));
    if (lines.length >= mostLines) break;
  }
  return lines.slice(0, mostLines);
}

function logs(): CloudWatchLogsClient {
  client ??= new CloudWatchLogsClient(clientSettings());
  return client;
}
