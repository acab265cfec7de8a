import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface RunningShipper {
  readonly process: ChildProcess;
  /** What it wrote to standard error until now. */
  output(): string;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts `ship-logs` as a platform team would. */
export function startShipper(
  dir: string,
  api: string,
  tokenFile: string,
  more: readonly string[] = [],
): RunningShipper {
  const flags = ['--dir', dir, '--api', api, '--token-file', tokenFile, ...more];
  const child = spawn('infra/edge/ship-logs', flags, { stdio: ['ignore', 'inherit', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return {
    process: child,
    output: () => output,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}
