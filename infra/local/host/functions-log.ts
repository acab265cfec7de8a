import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { LocalRunError } from './local-run-error.ts';

export const functionsLogName = 'functions.log';

interface FunctionsLog {
  readonly stream: Writable;
  stop(): Promise<void>;
}

/**
 * Opens the file that takes what the functions write, as their log groups would.
 * @param failure is aborted when the file cannot be opened or takes no more
 */
export function openFunctionsLog(path: string, failure: AbortController): FunctionsLog {
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  stream.on('error', ({ message }) =>
    failure.abort(new LocalRunError(`The log ${path} cannot be written: ${message}`)),
  );
  return { stream, stop: () => new Promise((resolve) => stream.end(() => resolve())) };
}
