import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCompileCacheDir, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../shared/ground/message-of.ts';

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

  constructor(errorType: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FunctionError';
    this.errorType = errorType;
  }
}

interface WorkerMessage {
  readonly ready?: true;
  readonly value?: unknown;
  readonly error?: ThrownError;
}

interface ThrownError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly stack: string;
}

/** As JavaScript: a thread that strips types itself holds twice the memory. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(
    stripTypeScriptTypes(readFileSync(join(import.meta.dirname, 'environment-worker.ts'), 'utf8')),
  )}`,
);

/** A worker thread that stands for one Lambda execution environment: one event at a time. */
export class ExecutionEnvironment {
  protected readonly worker: Worker;
  private readonly source: LocalFunction;
  protected readonly started: Promise<void>;
  private settle: Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'> | undefined;
  /** Why the environment has crashed or timed out and must not be used again. */
  private failure: FunctionError | undefined;

  constructor(source: LocalFunction, log: Writable) {
    this.source = source;
    this.worker = new Worker(script, {
      env: { ...source.environment },
      resourceLimits: { maxOldGenerationSizeMb: source.memoryMegabytes, maxYoungGenerationSizeMb: 4 },
      stdout: true,
      stderr: true,
      workerData: {
        directory: source.directory,
        handlerName: source.handlerName,
        compileCache: getCompileCacheDir(),
      },
    });
    this.worker.stdout.pipe(log, { end: false });
    this.worker.stderr.pipe(log, { end: false });
    const ready = Promise.withResolvers<void>();
    this.started = ready.promise;
    this.worker.on('message', (message: WorkerMessage) =>
      message.ready ? ready.resolve() : this.respond(message),
    );
    this.worker.on('error', (cause) =>
      this.crash(new FunctionError('Runtime.ExitError', messageOf(cause), { cause })),
    );
    this.worker.on('exit', () => {
      this.crash(new FunctionError('Runtime.ExitError', 'the environment ended'));
      ready.resolve();
    });
  }

  get alive(): boolean {
    return this.failure === undefined;
  }

  /** @throws FunctionError */
  async invoke(event: unknown): Promise<unknown> {
    await this.started;
    const { failure: cause } = this;
    if (cause)
      throw new FunctionError('Runtime.ImportError', `${this.source.name} could not be loaded`, { cause });
    const settled = Promise.withResolvers<unknown>();
    this.settle = settled;
    const milliseconds = this.source.timeoutSeconds * 1000;
    const timer = setTimeout(() => this.timeOut(), milliseconds);
    const context = {
      awsRequestId: randomUUID(),
      functionName: this.source.name,
      deadline: Date.now() + milliseconds,
    };
    this.worker.postMessage({ event, context });
    try {
      return await settled.promise;
    } finally {
      clearTimeout(timer);
      this.settle = undefined;
    }
  }

  async terminate(): Promise<void> {
    await this.worker.terminate();
  }

  private respond({ value, error }: WorkerMessage): void {
    if (error) this.settle?.reject(thrownBy(error));
    else this.settle?.resolve(value);
  }

  private timeOut(): void {
    this.crash(
      new FunctionError('Sandbox.Timedout', `timed out after ${this.source.timeoutSeconds} seconds`),
    );
    void this.terminate();
  }

  private crash(failure: FunctionError): void {
    this.failure ??= failure;
    this.settle?.reject(this.failure);
  }
}

/** What a handler has thrown, with the place where it did. */
function thrownBy({ errorType, errorMessage, stack }: ThrownError): FunctionError {
  const error = new FunctionError(errorType, errorMessage);
  error.stack = stack;
  return error;
}
