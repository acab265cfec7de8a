import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';

/** One execution environment: loads the bundle once, then handles one event at a time. */
interface Invocation {
  readonly event: unknown;
  readonly context: {
    readonly awsRequestId: string;
    readonly functionName: string;
    readonly deadline: number;
  };
}

type Handler = (event: unknown, context: object) => Promise<unknown>;

interface WorkerData {
  readonly directory: string;
  readonly handlerName: string;
  /** Where the process keeps what it has compiled, if it does. */
  readonly compileCache: string | undefined;
}

const { directory, handlerName, compileCache } = workerData as WorkerData;
const [file = 'index', exported = 'handler'] = handlerName.split('.');

// The environments of one function compile its bundle once, not each for itself.
if (compileCache !== undefined) enableCompileCache(compileCache);

let callId: string | undefined;
for (const method of ['trace', 'debug', 'info', 'warn', 'error'] as const)
  console[method] = (...values) => void process.stdout.write(lineOf(method.toUpperCase(), values));
console.log = console.info;

const bundle = (await import(pathToFileURL(join(directory, `${file}.mjs`)).href)) as Record<string, Handler>;
const handler = bundle[exported];
if (!handler || !parentPort) throw new Error(`${directory} exports no ${handlerName}`);
const port = parentPort;

port.on('message', async ({ event, context: { deadline, ...context } }: Invocation) => {
  callId = context.awsRequestId;
  try {
    const value = await handler(event, { ...context, getRemainingTimeInMillis: () => deadline - Date.now() });
    port.postMessage({ value: JSON.parse(JSON.stringify(value ?? null)) });
  } catch (error) {
    console.error(error instanceof Error ? error : new Error(String(error)));
    port.postMessage({ error: describe(error) });
  }
});
port.postMessage({ ready: true });
flushCompileCache();

/** As Lambda's runtime client for Node has it (`LogPatch`) where a function's log format is JSON. */
function lineOf(level: string, values: readonly unknown[]): string {
  const entry = { timestamp: new Date().toISOString(), level, requestId: callId };
  const [message] = values;
  if (values.length > 1) {
    const error = values.find((value) => value instanceof Error);
    return line({ ...entry, message: format(...values), ...(error && errorFields(error)) });
  }
  try {
    return line({ ...entry, message });
  } catch {
    return line({ ...entry, message: format(message) });
  }
}

function line(entry: object): string {
  const replaced = (_: string, value: unknown) =>
    value instanceof Error ? { ...errorFields(value), ...value } : value;
  return `${JSON.stringify(entry, replaced)}\n`;
}

function errorFields(error: Error) {
  const { message: errorMessage, stack } = error;
  return { errorType: error.constructor.name, errorMessage, stackTrace: stack?.split('\n') };
}

/** This file runs as a data URL, which imports no other. */
function describe(error: unknown) {
  return error instanceof Error
    ? { errorType: error.name, errorMessage: error.message, stack: error.stack ?? '' }
    : { errorType: 'Error', errorMessage: String(error), stack: '' };
}
