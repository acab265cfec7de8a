import type { Writable } from 'node:stream';
import { ExecutionEnvironment, FunctionError, type LocalFunction } from './execution-environment.ts';

const environmentsPerFunction = 6;
const longestWaitMilliseconds = 30_000;

/** The execution environments of one function: made when needed, kept warm, capped. */
class FunctionEnvironments {
  readonly source: LocalFunction;
  private readonly log: Writable;
  private readonly idle: ExecutionEnvironment[] = [];
  private readonly all = new Set<ExecutionEnvironment>();
  private readonly waiting: ((environment: ExecutionEnvironment) => void)[] = [];

  constructor(source: LocalFunction, log: Writable) {
    this.source = source;
    this.log = log;
    // Every environment pipes two streams into the one log.
    log.setMaxListeners(0);
  }

  async invoke(event: unknown): Promise<unknown> {
    const environment = await this.take();
    try {
      return await environment.invoke(event);
    } finally {
      this.giveBack(environment);
    }
  }

  async terminate(): Promise<void> {
    await Promise.all([...this.all].map((environment) => environment.terminate()));
  }

  private async take(): Promise<ExecutionEnvironment> {
    const idle = this.idle.pop();
    if (idle) return idle;
    if (this.all.size < environmentsPerFunction) return this.create();
    const turn = Promise.withResolvers<ExecutionEnvironment>();
    this.waiting.push(turn.resolve);
    const timer = setTimeout(() => {
      this.waiting.splice(this.waiting.indexOf(turn.resolve), 1);
      turn.reject(new FunctionError('TooManyRequestsException', `${this.source.name} is too busy`));
    }, longestWaitMilliseconds);
    return turn.promise.finally(() => clearTimeout(timer));
  }

  private create(): ExecutionEnvironment {
    const environment = new ExecutionEnvironment(this.source, this.log);
    this.all.add(environment);
    return environment;
  }

  private giveBack(environment: ExecutionEnvironment): void {
    if (!environment.alive) this.all.delete(environment);
    const next = this.waiting.shift();
    if (next) next(environment.alive ? environment : this.create());
    else if (environment.alive) this.idle.push(environment);
  }
}

/** Every function of the template, by its physical name. */
export class FunctionPool {
  private readonly byName = new Map<string, FunctionEnvironments>();
  private readonly log: Writable;

  /** @param log takes what the functions write, as their log groups would */
  constructor(log: Writable) {
    this.log = log;
  }

  load(sources: readonly LocalFunction[]): void {
    for (const source of sources) this.byName.set(source.name, new FunctionEnvironments(source, this.log));
  }

  /** Variables of a function's environment; undefined where there is no such function. */
  environmentOf(name: string): Readonly<Record<string, string>> | undefined {
    return this.byName.get(name)?.source.environment;
  }

  /** @throws FunctionError */
  async invoke(name: string, event: unknown): Promise<unknown> {
    const environments = this.byName.get(name);
    if (!environments) throw new FunctionError('ResourceNotFoundException', `There is no function ${name}`);
    return environments.invoke(event);
  }

  async terminate(): Promise<void> {
    await Promise.all([...this.byName.values()].map((environments) => environments.terminate()));
  }
}
