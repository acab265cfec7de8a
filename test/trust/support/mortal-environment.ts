import type { Writable } from 'node:stream';
import type { Environment, MakeEnvironment } from '../../../infra/local/lambda/environments.ts';
import {
  ExecutionEnvironment,
  type LocalFunction,
} from '../../../infra/local/lambda/execution-environment.ts';

/** An execution environment that can be ended in the middle of its work, and used once only. */
class MortalEnvironment implements Environment {
  isBusy = false;
  private readonly inner: ExecutionEnvironment;
  private readonly isUsedOnce: boolean;
  private isUsed = false;

  constructor(source: LocalFunction, log: Writable, isUsedOnce: boolean) {
    this.inner = new ExecutionEnvironment(source, log);
    this.isUsedOnce = isUsedOnce;
  }

  get alive(): boolean {
    return this.inner.alive && !(this.isUsed && this.isUsedOnce);
  }

  async invoke(event: unknown): Promise<unknown> {
    this.isBusy = true;
    try {
      return await this.inner.invoke(event);
    } finally {
      this.isBusy = false;
      this.isUsed = true;
      if (!this.alive) void this.terminate();
    }
  }

  terminate(): Promise<void> {
    return this.inner.terminate();
  }
}

/** The environments of a run, as far as they can be ended from outside. */
export class MortalEnvironments {
  /** Names of functions each of whose events begins in a fresh environment, with nothing known. */
  readonly fresh = new Set<string>();
  private readonly made = new Map<string, Set<MortalEnvironment>>();

  readonly make: MakeEnvironment = (source, log) => {
    const environment = new MortalEnvironment(source, log, this.fresh.has(source.name));
    const made = this.made.get(source.name) ?? new Set();
    this.made.set(source.name, made.add(environment));
    return environment;
  };

  /** Ends what the function has under way, as when the machine below it goes; nobody tells the caller. */
  kill(functionName: string): void {
    for (const environment of this.made.get(functionName) ?? []) {
      if (!environment.alive) this.made.get(functionName)?.delete(environment);
      else if (environment.isBusy) void environment.terminate();
    }
  }
}
