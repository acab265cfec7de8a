import type { Writable } from 'node:stream';
import type { Environment, MakeEnvironment } from '../../../infra/local/lambda/environments.ts';
import {
  ExecutionEnvironment,
  type LocalFunction,
} from '../../../infra/local/lambda/execution-environment.ts';
import type { Rollout, Version } from './rollout.ts';

/** Told of each invocation that did not fail. */
type Served = (functionName: string, code: Version, event: unknown, value: unknown) => void;

/** Functions in the middle of a release: each invocation is served by either version. */
export class RollingEnvironments {
  private readonly rollout: Rollout;
  private readonly served: Served;
  /** Kept, since a start costs more than most invocations: by function, code and variables. */
  private readonly idle = new Map<string, ExecutionEnvironment[]>();

  constructor(rollout: Rollout, served: Served) {
    this.rollout = rollout;
    this.served = served;
  }

  readonly make: MakeEnvironment = (source, log): Environment => ({
    alive: true,
    invoke: (event) => this.invoke(source, log, event),
    terminate: async () => undefined,
  });

  async terminate(): Promise<void> {
    await Promise.all([...this.idle.values()].flat().map((environment) => environment.terminate()));
  }

  private async invoke(template: LocalFunction, log: Writable, event: unknown): Promise<unknown> {
    const { code, source } = this.rollout.serve(template);
    const key = JSON.stringify(source);
    const environment = this.idle.get(key)?.pop() ?? new ExecutionEnvironment(source, log);
    try {
      const value = await environment.invoke(event);
      this.served(source.name, code, event, value);
      return value;
    } finally {
      if (environment.alive) this.idle.set(key, [...(this.idle.get(key) ?? []), environment]);
    }
  }
}
