import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';

export interface LocalFunction {
  readonly name: string;
  readonly directory: string;
  readonly handlerName: string;
  /** Bounds the heap of each of its environments. */
  readonly memoryMegabytes: number;
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** A function's own failure, as against a response: thrown, timed out or crashed. */
export class FunctionError extends Error {
  readonly errorType: string;

  constructor(errorType: string, message: string) {
    super(message);
    this.name = 'FunctionError';
    this.errorType = errorType;
  }
}

interface WorkerMessage {
  readonly ready?: true;
  readonly value?: unknown;
  readonly error?: { readonly errorType: string; readonly errorMessage: string };
}

/** As JavaScript: a thread that strips types itself holds twice the memory. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(
    stripTypeScriptTypes(readFileSync(join(import.meta.dirname, 'environment-worker.ts'), 'utf8')),
  )}`,
);

/** A worker thread that stands for one Lambda execution environment: one event at a time. */
export class ExecutionEnvironment {
  private readonly worker: Worker;
  private readonly source: LocalFunction;
  private readonly started: Promise<void>;
  private settle: ((message: WorkerMessage) => void) | undefined;
  /** False once the environment has crashed or timed out and must not be used again. */
  alive = true;

  constructor(source: LocalFunction, log: Writable) {
    this.source = source;
    this.worker = new Worker(script, {
      env: { ...source.environment },
      resourceLimits: { maxOldGenerationSizeMb: source.memoryMegabytes, maxYoungGenerationSizeMb: 4 },
      stdout: true,
      stderr: true,
      workerData: { directory: source.directory, handlerName: source.handlerName },
    });
    this.worker.stdout.pipe(log, { end: false });
    this.worker.stderr.pipe(log, { end: false });
    const ready = Promise.withResolvers<void>();
    this.started = ready.promise;
    this.worker.on('message', (message: WorkerMessage) =>
      message.ready ? ready.resolve() : this.settle?.(message),
    );
    this.worker.on('error', (error) => this.crash(error.message));
    this.worker.on('exit', () => {
      this.crash('the environment ended');
      ready.resolve();
    });
  }

  /** @throws FunctionError */
  async invoke(event: unknown): Promise<unknown> {
    await this.started;
    if (!this.alive)
      throw new FunctionError('Runtime.ImportError', `${this.source.name} could not be loaded`);
    const settled = Promise.withResolvers<WorkerMessage>();
    this.settle = settled.resolve;
    const milliseconds = this.source.timeoutSeconds * 1000;
    const timer = setTimeout(() => this.timeOut(), milliseconds);
    const context = {
      awsRequestId: randomUUID(),
      functionName: this.source.name,
      deadline: Date.now() + milliseconds,
    };
    this.worker.postMessage({ event, context });
    const { value, error } = await settled.promise;
    clearTimeout(timer);
    this.settle = undefined;
    if (error) throw new FunctionError(error.errorType, error.errorMessage);
    return value;
  }

  async terminate(): Promise<void> {
    await this.worker.terminate();
  }

  private timeOut(): void {
    this.crash(`timed out after ${this.source.timeoutSeconds} seconds`, 'Sandbox.Timedout');
    void this.terminate();
  }

  private crash(errorMessage: string, errorType = 'Runtime.ExitError'): void {
    this.alive = false;
    this.settle?.({ error: { errorType, errorMessage } });
  }
}
