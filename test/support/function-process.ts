import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promiseHooks } from 'node:v8';

/**
 * A function in a process of its own, which ends itself by SIGKILL when it comes back from its `killAt`-th await
 * of an event; 0 lets the event through. Tells what came of the event, and how many awaits it took.
 */
interface Call {
  readonly event: unknown;
  readonly killAt: number;
}

const [directory = '', handlerName = ''] = process.argv.slice(2);
const [file = '', name = ''] = handlerName.split('.');

let awaits = 0;
let killAt = 0;
promiseHooks.onBefore(() => {
  awaits += 1;
  if (awaits === killAt) process.kill(process.pid, 'SIGKILL');
});

const { [name]: handler } = (await import(pathToFileURL(join(directory, `${file}.mjs`)).href)) as Record<
  string,
  (event: unknown, context: unknown) => Promise<unknown>
>;

process.on('message', async (call: Call) => {
  awaits = 0;
  killAt = call.killAt;
  try {
    const value = await handler?.(call.event, {});
    respond({ value });
  } catch (error) {
    respond({ error: String(error) });
  }
});
process.send?.({ ready: true });
// A process that is killed leaves nothing behind at its end.
flushCompileCache();

/** From here on the process lives, since nobody would learn of its death. */
function respond(response: object): void {
  killAt = 0;
  process.send?.({ ...response, awaits });
}
