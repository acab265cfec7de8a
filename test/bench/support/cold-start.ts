import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const script = join(import.meta.dirname, 'cold-start.mjs');

/** As Lambda always sets them. */
const lambdaEnvironment = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
};

export interface ColdStart {
  /** Of CPU. */
  readonly milliseconds: number;
  /** What the handler returned. */
  readonly result?: unknown;
}

interface Call {
  readonly event: unknown;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts a bundle in a process of its own; and calls it, where there is something to call it with. */
export async function startCold(bundle: string, call?: Call): Promise<ColdStart> {
  const args = [script, bundle, ...(call ? [JSON.stringify(call.event)] : [])];
  const env = { PATH: process.env.PATH, ...lambdaEnvironment, ...call?.environment };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout) as ColdStart;
}
