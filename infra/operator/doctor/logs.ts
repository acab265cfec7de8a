import { readFile } from 'node:fs/promises';
import { edgeLaggingMessage } from '../../../shared/edge/lagging.ts';
import { logEntry } from '../../../shared/ground/log.ts';
import { functionLogging } from '../aws/function-logging.ts';
import { filterPatterns, foundBy, hasLogGroup, linesSince } from '../aws/log-groups.ts';
import { shortened } from '../text/fit.ts';
import type { Check } from './check.ts';

/** Who writes the lines that an alarm counts. */
const watched = 'catch-up-schedule';
const longestExcerpt = 100;
const dayMilliseconds = 24 * 3600 * 1000;

export const logs: Check = {
  name: 'logs',
  run: ({ stack, localRun }) =>
    localRun ? inFile(localRun.functionsLog) : inCloudWatch(`${stack}-${watched}`),
};

async function inFile(path: string): Promise<string> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean);
  requireJson(lines, path);
  return `${lines.length} lines of ${path}, and all are JSON. No filter was asked, which only CloudWatch has.`;
}

async function inCloudWatch(functionName: string): Promise<string> {
  const group = `/aws/lambda/${functionName}`;
  if (!(await hasLogGroup(group))) throw new Error(`There is no log group ${group}. Deploy again.`);
  const { format, logGroup } = await functionLogging(functionName);
  if (format !== 'JSON' || logGroup !== group)
    throw new Error(`${functionName} writes ${format} to ${logGroup}, not JSON to ${group}. Deploy again.`);
  const lines = await linesSince(group, new Date(Date.now() - dayMilliseconds));
  requireJson(lines, group);
  await requireFilter(group, lines);
  const seen =
    lines.length > 0 ? `${lines.length} lines of the last day are JSON` : 'none was written in a day';
  return `The filter of ${group} finds "${edgeLaggingMessage}" and no other line; ${seen}.`;
}

/** @param written what was really written of late */
async function requireFilter(group: string, written: readonly string[]): Promise<void> {
  const counted = [lineOf(edgeLaggingMessage), ...written.filter(isCounted)];
  const other = lineOf('request failed');
  for (const pattern of await filterPatterns(group)) {
    const found = await foundBy(pattern, [...counted, other]);
    if (found.length === counted.length && !found.includes(other)) return;
  }
  throw new Error(
    `No metric filter of ${group} finds "${edgeLaggingMessage}" alone, so no alarm tells of edges that lag. Deploy again.`,
  );
}

/** As Lambda writes it. */
function lineOf(message: string): string {
  const entry = logEntry(message, { edgeId: 'paris-1' });
  return JSON.stringify({
    timestamp: new Date().toISOString(),
    level: 'WARN',
    requestId: '1',
    message: entry,
  });
}

function isCounted(line: string): boolean {
  const { message } = JSON.parse(line) as { message?: { message?: unknown } };
  return message?.message === edgeLaggingMessage;
}

function requireJson(lines: readonly string[], where: string): void {
  const [first, ...others] = lines.filter((line) => !isJsonObject(line));
  if (first === undefined) return;
  throw new Error(
    `${others.length + 1} of ${lines.length} lines of ${where} are not JSON, and no alarm counts them: "${shortened(first, longestExcerpt)}". Where the functions’ log format is not JSON, deploy again.`,
  );
}

function isJsonObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
