import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { isInUse } from './data-directory.ts';

/** How a second program finds a local run: what it serves, and where. */
const RunFile = z.object({
  stackName: z.string(),
  region: z.string(),
  endpoints: z.object({
    dynamodb: z.string(),
    sqs: z.string(),
    kms: z.string(),
    secretsManager: z.string(),
    lambda: z.string(),
  }),
});
type RunFile = z.output<typeof RunFile>;

export const runFileName = 'run.json';

/** @returns undefined where no run is using the folder */
export function findRun(dataDirectory: string): RunFile | undefined {
  const path = join(dataDirectory, runFileName);
  if (!existsSync(path) || !isInUse(dataDirectory)) return undefined;
  return RunFile.parse(JSON.parse(readFileSync(path, 'utf8')));
}
