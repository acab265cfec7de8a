import type { Writable } from 'node:stream';
import { ExecutionEnvironment, type LocalFunction } from '../../infra/local/lambda/execution-environment.ts';

/** A thread that says how many microseconds of a processor each event has taken. */
export class MeasuredEnvironment extends ExecutionEnvironment {
  private readonly functionName: string;
  private readonly note: (functionName: string, microseconds: number) => void;

  constructor(
    source: LocalFunction,
    log: Writable,
    note: (functionName: string, microseconds: number) => void,
  ) {
    super(source, log);
    this.functionName = source.name;
    this.note = note;
  }

  override async invoke(event: unknown): Promise<unknown> {
    await this.started;
    const before = await this.worker.cpuUsage();
    const result = await super.invoke(event);
    const { user, system } = await this.worker.cpuUsage(before);
    this.note(this.functionName, user + system);
    return result;
  }
}
