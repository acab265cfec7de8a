import type { Writable } from 'node:stream';
import { ExecutionEnvironment, FunctionError, type LocalFunction } from './execution-environment.ts';

/** Runs one function, one event at a time. */
export interface Environment {
  /** False once it must not be used again. */
  readonly alive: boolean;
  /** @throws FunctionError */
  invoke(event: unknown): Promise<unknown>;
  terminate(): Promise<void>;
}

export type MakeEnvironment = (source: LocalFunction, log: Writable) => Environment;

const makeThread: MakeEnvironment = (source, log) => new ExecutionEnvironment(source, log);

const environmentsPerFunction = 6;
const longestWaitMilliseconds = 30_000;

/** The execution environments of one function: made when needed, kept warm, capped. */
class FunctionEnvironments {
  readonly source: LocalFunction;
  private readonly make: () => Environment;
  private readonly idle: Environment[] = [];
  private readonly all = new Set<Environment>();
  private readonly waiting: ((environment: Environment) => void)[] = [];

  constructor(source: LocalFunction, log: Writable, makeEnvironment: MakeEnvironment) {
    this.source = source;
    this.make = () => makeEnvironment(source, log);
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

  private async take(): Promise<Environment> {
    const idle = this.idle.pop();
    if (idle) return idle;
    if (this.all.size < environmentsPerFunction) return this.create();
    const turn = Promise.withResolvers<Environment>();
    this.waiting.push(turn.resolve);
    const timer = setTimeout(() => {
      this.waiting.splice(this.waiting.indexOf(turn.resolve), 1);
      turn.reject(new FunctionError('TooManyRequestsException', `${this.source.name} is too busy`));
    }, longestWaitMilliseconds);
    return turn.promise.finally(() => clearTimeout(timer));
  }

  private create(): Environment {
    const environment = this.make();
    this.all.add(environment);
    return environment;
  }

  private giveBack(environment: Environment): void {
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
  private readonly makeEnvironment: MakeEnvironment;

  /** @param log takes what the functions write, as their log groups would */
  constructor(log: Writable, makeEnvironment: MakeEnvironment = makeThread) {
    this.log = log;
    this.makeEnvironment = makeEnvironment;
  }

  load(sources: readonly LocalFunction[]): void {
    for (const source of sources)
      this.byName.set(source.name, new FunctionEnvironments(source, this.log, this.makeEnvironment));
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
