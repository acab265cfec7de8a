import type { Writable } from 'node:stream';
import type { Environment } from '../../../../infra/local/lambda/environments.ts';
import {
  ExecutionEnvironment,
  type LocalFunction,
} from '../../../../infra/local/lambda/execution-environment.ts';
import { withLimitsOfAws } from '../../../support/limits-of-aws.ts';
import { makeVisibleSoon } from '../../../support/make-visible-soon.ts';
import { wrappedFunction } from './wrapped-function.ts';

/** What a test says of the life of functions, and learns of it; by their names. */
export interface Lives {
  /** Each of their events begins in a fresh environment, with nothing known. */
  readonly fresh: ReadonlySet<string>;
  /** At which await of its next event a function is killed. */
  readonly killAt: Map<string, number>;
  /** How many awaits the last event took. */
  readonly awaits: Map<string, number>;
}

/** What the module around a function gives back. */
interface Counted {
  readonly response: unknown;
  readonly awaits: number;
}

/** An execution environment that ends in the middle of its work: by itself at an await, or from outside. */
export class MortalEnvironment implements Environment {
  isBusy = false;
  private readonly inner: ExecutionEnvironment;
  private readonly name: string;
  private readonly lives: Lives;

  constructor(source: LocalFunction, log: Writable, lives: Lives) {
    this.inner = new ExecutionEnvironment(withCountedAwaits(withLimitsOfAws(source)), log);
    this.name = source.name;
    this.lives = lives;
  }

  get alive(): boolean {
    return this.inner.alive;
  }

  async invoke(event: unknown): Promise<unknown> {
    const killAt = this.lives.killAt.get(this.name) ?? 0;
    this.lives.killAt.delete(this.name);
    this.isBusy = true;
    try {
      const { response, awaits } = (await this.inner.invoke({ event, killAt })) as Counted;
      this.lives.awaits.set(this.name, awaits);
      return response;
    } catch (error) {
      if (!this.alive) await makeVisibleSoon(event);
      throw error;
    } finally {
      this.isBusy = false;
      if (this.lives.fresh.has(this.name)) await this.terminate();
    }
  }

  terminate(): Promise<void> {
    return this.inner.terminate();
  }
}

/** The same function, which counts how often it comes back from an await of an event, and ends at the one named. */
function withCountedAwaits(source: LocalFunction): LocalFunction {
  return wrappedFunction(
    source,
    (own) => `import { promiseHooks } from 'node:v8';
let awaits = 0;
let place = 0;
promiseHooks.onBefore(() => {
  awaits += 1;
  if (awaits === place) process.exit();
});
const { handler } = await import(${own});
const counted = async ({ event, killAt }, context) => {
  awaits = 0;
  place = killAt;
  try {
    return { response: await handler(event, context), awaits };
  } finally {
    place = 0;
  }
};
export { counted as handler };
`,
  );
}
