import type { Writable } from 'node:stream';
import type { Environment, MakeEnvironment } from '../../../../infra/local/lambda/environments.ts';
import {
  ExecutionEnvironment,
  type LocalFunction,
} from '../../../../infra/local/lambda/execution-environment.ts';
import { wrappedFunction } from './wrapped-function.ts';

/** By how much the clocks of functions are wrong, in milliseconds. */
export class Clocks {
  readonly offsets = new Map<string, number>();

  readonly make: MakeEnvironment = (source, log) => new ClockedEnvironment(source, log, this.offsets);
}

/** An execution environment whose clock is set anew for each event. */
class ClockedEnvironment implements Environment {
  private readonly source: LocalFunction;
  private readonly log: Writable;
  private readonly offsets: ReadonlyMap<string, number>;
  private inner: ExecutionEnvironment;
  private offset = 0;

  constructor(source: LocalFunction, log: Writable, offsets: ReadonlyMap<string, number>) {
    this.source = source;
    this.log = log;
    this.offsets = offsets;
    this.inner = new ExecutionEnvironment(source, log);
  }

  get alive(): boolean {
    return this.inner.alive;
  }

  async invoke(event: unknown): Promise<unknown> {
    const offset = this.offsets.get(this.source.name) ?? 0;
    if (offset !== this.offset) {
      void this.inner.terminate();
      this.offset = offset;
      this.inner = new ExecutionEnvironment(withClock(this.source, offset), this.log);
    }
    return this.inner.invoke(event);
  }

  terminate(): Promise<void> {
    return this.inner.terminate();
  }
}

/** The same function, in an environment that sets its clock before it loads it. */
function withClock(source: LocalFunction, offset: number): LocalFunction {
  return wrappedFunction(
    source,
    (own) => `const Right = Date;
globalThis.Date = class extends Right {
  constructor(...given) { super(...(given.length > 0 ? given : [Right.now() + ${offset}])); }
  static now() { return Right.now() + ${offset}; }
};
const { handler } = await import(${own});
const shifted = (event, context) =>
  handler(event, { ...context, getRemainingTimeInMillis: () => context.getRemainingTimeInMillis() + ${offset} });
export { shifted as handler };
`,
  );
}
