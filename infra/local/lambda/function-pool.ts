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

/** What a function holds at a time, as a reserved concurrency would say. */
const environmentsPerFunction = 6;
/** What all functions hold together: beyond it, one that is new takes the place of the one longest idle. */
const environmentsInAll = 16;
/** How long a function waits for an environment of its own before it takes the place of another's. */
const patienceMilliseconds = 250;
const longestWaitMilliseconds = 30_000;
const longestIdleMilliseconds = 20_000;

interface Invocation {
  readonly source: LocalFunction;
  /** Made by a function that holds an environment itself, and so must not wait for others to end. */
  readonly isNested: boolean;
}

interface Waiting extends Invocation {
  isPatient: boolean;
  readonly take: (environment: Environment) => void;
}

interface Idle {
  readonly source: LocalFunction;
  readonly environment: Environment;
  readonly timer: NodeJS.Timeout;
}

const makeThread: MakeEnvironment = (source, log) => new ExecutionEnvironment(source, log);

/** The execution environments of every function: made when needed, kept warm for a while, capped together. */
export class FunctionPool {
  private readonly byName = new Map<string, LocalFunction>();
  private readonly log: Writable;
  private readonly makeEnvironment: MakeEnvironment;
  private readonly all = new Map<Environment, LocalFunction>();
  /** The longest idle first. */
  private readonly idle: Idle[] = [];
  /** The longest waiting first. */
  private readonly waiting: Waiting[] = [];

  /** @param log takes what the functions write, as their log groups would */
  constructor(log: Writable, makeEnvironment: MakeEnvironment = makeThread) {
    this.log = log;
    this.makeEnvironment = makeEnvironment;
    // Every environment pipes two streams into the one log.
    log.setMaxListeners(0);
  }

  load(sources: readonly LocalFunction[]): void {
    for (const source of sources) this.byName.set(source.name, source);
  }

  /** Variables of a function's environment; undefined where there is no such function. */
  environmentOf(name: string): Readonly<Record<string, string>> | undefined {
    return this.byName.get(name)?.environment;
  }

  /** @throws FunctionError */
  async invoke(name: string, event: unknown, { isNested = false } = {}): Promise<unknown> {
    const source = this.byName.get(name);
    if (!source) throw new FunctionError('ResourceNotFoundException', `There is no function ${name}`);
    const environment = await this.take({ source, isNested });
    try {
      return await environment.invoke(event);
    } finally {
      this.giveBack(source, environment);
    }
  }

  async terminate(): Promise<void> {
    await Promise.all([...this.all.keys()].map((environment) => environment.terminate()));
  }

  private async take(invocation: Invocation): Promise<Environment> {
    return this.find(invocation, true) ?? this.wait(invocation);
  }

  private async wait(invocation: Invocation): Promise<Environment> {
    const turn = Promise.withResolvers<Environment>();
    const waiting: Waiting = { ...invocation, isPatient: true, take: turn.resolve };
    this.waiting.push(waiting);
    const patience = setTimeout(() => {
      waiting.isPatient = false;
      this.serve();
    }, patienceMilliseconds);
    const limit = setTimeout(() => {
      this.waiting.splice(this.waiting.indexOf(waiting), 1);
      const { name } = invocation.source;
      turn.reject(new FunctionError('TooManyRequestsException', `${name} is too busy`));
    }, longestWaitMilliseconds);
    return turn.promise.finally(() => {
      clearTimeout(patience);
      clearTimeout(limit);
    });
  }

  /** Whoever has waited longest comes first, and lets pass who can go on without an environment that he needs. */
  private serve(): void {
    for (const waiting of [...this.waiting]) {
      const environment = this.find(waiting, waiting.isPatient);
      if (!environment) continue;
      this.waiting.splice(this.waiting.indexOf(waiting), 1);
      waiting.take(environment);
    }
  }

  private find({ source, isNested }: Invocation, isPatient: boolean): Environment | undefined {
    const [warm] = this.idle.filter((idle) => idle.source === source).slice(-1);
    if (warm) return this.wake(warm);
    const own = [...this.all.values()].filter((each) => each === source).length;
    if (own >= environmentsPerFunction) return undefined;
    if (this.all.size >= environmentsInAll && (own === 0 || isNested || !isPatient)) this.evict(this.idle[0]);
    return this.all.size < environmentsInAll || isNested ? this.create(source) : undefined;
  }

  private wake(idle: Idle): Environment {
    clearTimeout(idle.timer);
    this.idle.splice(this.idle.indexOf(idle), 1);
    return idle.environment;
  }

  private create(source: LocalFunction): Environment {
    const environment = this.makeEnvironment(source, this.log);
    this.all.set(environment, source);
    return environment;
  }

  private giveBack(source: LocalFunction, environment: Environment): void {
    if (!environment.alive) this.all.delete(environment);
    else this.rest(source, environment);
    this.serve();
    if (this.all.size > environmentsInAll) this.evict(this.idle[0]);
  }

  private rest(source: LocalFunction, environment: Environment): void {
    const timer = setTimeout(() => this.evict(idle), longestIdleMilliseconds);
    timer.unref();
    const idle: Idle = { source, environment, timer };
    this.idle.push(idle);
  }

  private evict(idle: Idle | undefined): void {
    if (!idle) return;
    const environment = this.wake(idle);
    this.all.delete(environment);
    void environment.terminate();
  }
}
