import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Environment } from '../../infra/local/lambda/environments.ts';
import { FunctionError, type LocalFunction } from '../../infra/local/lambda/execution-environment.ts';
import { makeVisibleSoon } from './make-visible-soon.ts';

const script = join(import.meta.dirname, 'function-process.ts');

interface ProcessResponse {
  readonly value?: unknown;
  readonly error?: string;
  readonly awaits: number;
}

/** Who decides where an event's handler dies, and is told what came of it. */
export interface Killer {
  /** @returns at which await the process is to die; 0 to let it live */
  next(): number;
  lived(awaits: number): void;
  died(place: number): void;
}

/** A function in a process that is killed in the middle of its work; what lives gets every event twice. */
export class KilledEnvironment implements Environment {
  alive = true;
  private readonly child: ChildProcess;
  private readonly ready: Promise<unknown>;
  private readonly killer: Killer;

  constructor(source: LocalFunction, killer: Killer) {
    this.killer = killer;
    this.child = fork(script, [source.directory, source.handlerName], {
      env: { ...source.environment, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.ready = once(this.child, 'message');
    this.child.once('exit', () => {
      this.alive = false;
    });
  }

  async invoke(event: unknown): Promise<unknown> {
    await this.ready;
    await this.once(event);
    return this.once(event);
  }

  async terminate(): Promise<void> {
    this.child.kill('SIGKILL');
  }

  private async once(event: unknown): Promise<unknown> {
    const killAt = this.killer.next();
    const settled = new AbortController();
    const { signal } = settled;
    const ended = Promise.race([
      once(this.child, 'message', { signal }).then(([response]) => response as ProcessResponse),
      once(this.child, 'exit', { signal }).then(() => undefined),
    ]);
    this.child.send({ event, killAt });
    const response = await ended;
    settled.abort();
    if (!response) {
      this.killer.died(killAt);
      await makeVisibleSoon(event);
      throw new FunctionError('Runtime.ExitError', 'killed');
    }
    this.killer.lived(response.awaits);
    if (response.error) throw new FunctionError('Error', response.error);
    return response.value;
  }
}
