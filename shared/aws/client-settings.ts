/** Says in how many milliseconds services respond that a busy machine stands in for, as in a local run. */
export const patienceVariable = 'AWS_PATIENCE_MILLISECONDS';

/**
 * Time limits of every AWS client: a response that takes longer is worth less than a retry, and a plugin's
 * editor is waiting (some give up after 2 s). A retry does not get past a machine that is busy.
 */
export function clientSettings() {
  const patience = process.env[patienceVariable];
  const [connectionTimeout, requestTimeout] = patience ? [Number(patience), Number(patience)] : [500, 2_000];
  return {
    maxAttempts: 3,
    requestHandler: { connectionTimeout, requestTimeout, throwOnRequestTimeout: true },
  };
}

interface Client {
  readonly middlewareStack: { remove(name: string): boolean };
}

/** For what is asked all the time: the SDK walks through all that is sent and received, for a log that nobody keeps. */
export function unlogged<Unlogged extends Client>(client: Unlogged): Unlogged {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
