import type { Writable } from 'node:stream';
import type { LocalFunction } from './execution-environment.ts';

/** Runs one function, one event at a time. */
export interface Environment {
  /** False once it must not be used again. */
  readonly alive: boolean;
  /** @throws FunctionError */
  invoke(event: unknown): Promise<unknown>;
  terminate(): Promise<void>;
}

export type MakeEnvironment = (source: LocalFunction, log: Writable) => Environment;

export interface Invocation {
  readonly source: LocalFunction;
  /** Made by a function that holds an environment itself, and so must not wait for others to end. */
  readonly isNested: boolean;
  readonly since: number;
}

interface Idle {
  readonly source: LocalFunction;
  readonly environment: Environment;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
}

export interface EnvironmentLimits {
  /** What all functions hold together: beyond it, one that is new takes the place of the one longest idle. */
  readonly mostInAll: number;
  readonly longestIdleMilliseconds: number;
}

/** What a laptop has room for. */
const laptopLimits: EnvironmentLimits = { mostInAll: 20, longestIdleMilliseconds: 20_000 };
/** What a function holds at a time, as a reserved concurrency would say. */
const mostOfFunction = 6;
/** A function that has environments takes the place of one that rests only: the others are about to be needed. */
const restingMilliseconds = 5_000;
/** How long a function that another invokes waits for an environment of its own before it goes beyond the cap. */
const nestedWaitMilliseconds = 1_000;

/** The execution environments of all functions: made when needed, kept warm for a while, capped together. */
export class Environments {
  private readonly make: (source: LocalFunction) => Environment;
  private readonly limits: EnvironmentLimits;
  private readonly all = new Map<Environment, LocalFunction>();
  /** The longest idle first. */
  private readonly idle: Idle[] = [];

  constructor(make: (source: LocalFunction) => Environment, limits = laptopLimits) {
    this.make = make;
    this.limits = limits;
  }

  /** @returns undefined where the invocation has to wait */
  take({ source, isNested, since }: Invocation): Environment | undefined {
    const warm = this.idle.findLast((idle) => idle.source === source);
    if (warm) return this.wake(warm);
    const own = [...this.all.values()].filter((each) => each === source).length;
    if (own >= mostOfFunction) return undefined;
    const [longestIdle] = this.idle;
    if (this.isFull() && longestIdle && (own === 0 || isPast(longestIdle.since, restingMilliseconds)))
      this.evict(longestIdle);
    const mayExceed = isNested && (own === 0 || isPast(since, nestedWaitMilliseconds));
    return mayExceed || !this.isFull() ? this.create(source) : undefined;
  }

  giveBack(source: LocalFunction, environment: Environment): void {
    if (!environment.alive) {
      this.all.delete(environment);
      return;
    }
    const timer = setTimeout(() => this.evict(idle), this.limits.longestIdleMilliseconds);
    timer.unref();
    const idle: Idle = { source, environment, since: performance.now(), timer };
    this.idle.push(idle);
  }

  /** Ends what nested invocations have made beyond the cap. */
  trim(): void {
    for (const idle of this.idle.slice(0, Math.max(0, this.all.size - this.limits.mostInAll)))
      this.evict(idle);
  }

  async terminate(): Promise<void> {
    await Promise.all([...this.all.keys()].map((environment) => environment.terminate()));
  }

  private isFull(): boolean {
    return this.all.size >= this.limits.mostInAll;
  }

  private create(source: LocalFunction): Environment {
    const environment = this.make(source);
    this.all.set(environment, source);
    return environment;
  }

  private wake(idle: Idle): Environment {
    clearTimeout(idle.timer);
    this.idle.splice(this.idle.indexOf(idle), 1);
    return idle.environment;
  }

  private evict(idle: Idle): void {
    const environment = this.wake(idle);
    this.all.delete(environment);
    void environment.terminate();
  }
}

function isPast(since: number, milliseconds: number): boolean {
  return performance.now() - since > milliseconds;
}
