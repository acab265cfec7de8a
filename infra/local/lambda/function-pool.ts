import type { Writable } from 'node:stream';
import * as z from 'zod';
import { logEntry } from '../../../shared/ground/log.ts';
import {
  type Environment,
  type EnvironmentLimits,
  Environments,
  type Invocation,
  type MakeEnvironment,
} from './environments.ts';
import { ExecutionEnvironment, FunctionError, type LocalFunction } from './execution-environment.ts';

const retryMilliseconds = 250;
const longestWaitMilliseconds = 30_000;

/** The event of a request, as the gateway and its authorizer hand it on. */
const RequestEvent = z.object({ requestContext: z.object({ requestId: z.string() }) });

interface Waiting {
  readonly invocation: Invocation;
  readonly take: (environment: Environment) => void;
}

const makeThread: MakeEnvironment = (source, log) => new ExecutionEnvironment(source, log);

/** Every function of the template, by its physical name. */
export class FunctionPool {
  private readonly log: Writable;
  private readonly byName = new Map<string, LocalFunction>();
  private readonly environments: Environments;
  /** The longest waiting first. */
  private readonly waiting: Waiting[] = [];

  /** @param log takes what the functions write, as their log groups would */
  constructor(log: Writable, makeEnvironment: MakeEnvironment = makeThread, limits?: EnvironmentLimits) {
    this.log = log;
    this.environments = new Environments((source) => makeEnvironment(source, log), limits);
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

  /**
   * @param isNested says that a function invokes it, which holds an environment itself
   * @throws FunctionError
   */
  async invoke(name: string, event: unknown, { isNested = false } = {}): Promise<unknown> {
    const source = this.byName.get(name);
    if (!source) throw new FunctionError('ResourceNotFoundException', `There is no function ${name}`);
    try {
      return await this.run({ source, isNested, since: performance.now() }, event);
    } catch (error) {
      this.logFailure(name, event, error);
      throw error;
    }
  }

  /** Writes into the functions' log why a function has failed, and for which request. */
  logFailure(name: string, event: unknown, error: unknown): void {
    const requestId = RequestEvent.safeParse(event).data?.requestContext.requestId;
    const message = logEntry(`function ${name} failed`, { requestId, error });
    const timestamp = new Date().toISOString();
    this.log.write(`${JSON.stringify({ timestamp, level: 'ERROR', message })}\n`);
  }

  async terminate(): Promise<void> {
    await this.environments.terminate();
  }

  private async run(invocation: Invocation, event: unknown): Promise<unknown> {
    const environment = this.environments.take(invocation) ?? (await this.wait(invocation));
    try {
      return await environment.invoke(event);
    } finally {
      const { source } = invocation;
      this.environments.giveBack(source, environment);
      this.serve();
      this.environments.trim();
    }
  }

  private async wait(invocation: Invocation): Promise<Environment> {
    const turn = Promise.withResolvers<Environment>();
    const waiting: Waiting = { invocation, take: turn.resolve };
    this.waiting.push(waiting);
    const retry = setInterval(() => this.serve(), retryMilliseconds);
    const limit = setTimeout(() => {
      this.waiting.splice(this.waiting.indexOf(waiting), 1);
      const { name } = invocation.source;
      turn.reject(new FunctionError('TooManyRequestsException', `${name} is too busy`));
    }, longestWaitMilliseconds);
    return turn.promise.finally(() => {
      clearInterval(retry);
      clearTimeout(limit);
    });
  }

  /** Whoever has waited longest comes first; who can go on without what others wait for passes. */
  private serve(): void {
    for (const waiting of [...this.waiting]) {
      const environment = this.environments.take(waiting.invocation);
      if (!environment) continue;
      this.waiting.splice(this.waiting.indexOf(waiting), 1);
      waiting.take(environment);
    }
  }
}
