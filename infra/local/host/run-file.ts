import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { isInUse } from './data-directory.ts';
import { functionsLogName } from './functions-log.ts';

/** How a second program finds a local run: what it serves, and where. */
const RunFile = z.object({
  stackName: z.string(),
  region: z.string(),
  baseUrl: z.string(),
  endpoints: z.object({
    dynamodb: z.string(),
    sqs: z.string(),
    kms: z.string(),
    secretsManager: z.string(),
    lambda: z.string(),
  }),
});

/** A local run as a second program knows it. */
export interface FoundRun extends z.output<typeof RunFile> {
  /** File of what its functions write. */
  readonly functionsLog: string;
}

export const runFileName = 'run.json';

/** @returns undefined where no run is using the folder */
export function findRun(dataDirectory: string): FoundRun | undefined {
  const path = join(dataDirectory, runFileName);
  if (!existsSync(path) || !isInUse(dataDirectory)) return undefined;
  const run = RunFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  return { ...run, functionsLog: join(dataDirectory, functionsLogName) };
}
