import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from './eventually.ts';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** Runs one of the package's scripts to its end, as a person at the terminal does. */
export function runScript(args: readonly string[], env: Environment = {}): Promise<Ended> {
  return run('npm', ['run', '-s', ...args], env);
}

/** Runs the operator's command as its script does, without npm's own time. */
export function runOperator(args: readonly string[], env: Environment): Promise<Ended> {
  return run('node', ['--disable-warning=ExperimentalWarning', 'infra/operator/main.ts', ...args], env);
}

/** Runs `npm start` to its end, without npm's own time. */
export function runStart(env: Environment): Promise<Ended> {
  return run('node', ['--disable-warning=ExperimentalWarning', 'infra/local/main.ts'], env);
}

/** Runs a command on a terminal of its own, which makes one stream of both outputs. */
export function runOnTerminal(command: string, env: Environment): Promise<Ended> {
  return run('script', ['-qec', command, '/dev/null'], env);
}

async function run(program: string, args: readonly string[], env: Environment): Promise<Ended> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await ended, stdout, stderr };
}

export interface Demo {
  readonly baseUrl: string;
  readonly edgeUrl: string;
  readonly originUrl: string;
  readonly username: string;
  readonly password: string;
  readonly apiKey: string;
  readonly accountId: string;
  readonly propertyId: string;
  readonly hostname: string;
}

export interface StartedProgram {
  readonly demo: Demo;
  readonly output: () => string;
  /** What of the output went to standard error. */
  readonly errors: () => string;
  /** How long it took until it said anything, and until it was ready. */
  readonly milliseconds: { readonly silent: number; readonly starting: number };
  readonly process: ChildProcess;
  stop(signal: NodeJS.Signals): Promise<Exit>;
  /** Waits until it ends by itself. */
  ended(): Promise<Exit>;
}

interface Exit {
  readonly status: number | null;
  /** How long it took from when it was waited for. */
  readonly milliseconds: number;
}

/** `npm start` on free ports and the given folder, waited for until it says that it is ready. */
export async function startProgram(directory: string): Promise<StartedProgram> {
  const env = { ...process.env, PORT: '0', EDGE_PORT: '0', DATA_DIR: directory };
  const child = spawn('node', ['--disable-warning=ExperimentalWarning', 'infra/local/main.ts'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const from = performance.now();
  let silent = 0;
  let output = '';
  let errors = '';
  child.stdout.once('data', () => (silent = performance.now() - from));
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ended = async (): Promise<Exit> => {
    const from = performance.now();
    const status = await exited;
    return { status, milliseconds: performance.now() - from };
  };
  await eventually(
    async () => output,
    (said) => said.includes('Ready:') || child.exitCode !== null,
  );
  return {
    demo: JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8')),
    output: () => output,
    errors: () => errors,
    milliseconds: { silent, starting: performance.now() - from },
    process: child,
    stop: (signal) => {
      child.kill(signal);
      return ended();
    },
    ended,
  };
}
