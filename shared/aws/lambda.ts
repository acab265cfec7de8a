import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { clientSettings } from './client-settings.ts';

let client: LambdaClient | undefined;

/** @throws Error when the function failed or responded with nothing */
export async function invoke(functionName: string, event: object): Promise<unknown> {
  const { FunctionError, Payload } = await lambda().send(
    new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(event) }),
  );
  if (FunctionError || !Payload) throw new Error(`${functionName} failed: ${FunctionError ?? 'no response'}`);
  return JSON.parse(Buffer.from(Payload).toString('utf8'));
}

/**
 * Waits longer than any endpoint may take, and asks once: a second try could do the work twice. So each call has a
 * connection of its own: one that was kept over an idle time may be dead.
 */
export function lambda(): LambdaClient {
  client ??= new LambdaClient({
    maxAttempts: 1,
    requestHandler: {
      ...clientSettings().requestHandler,
      requestTimeout: 20_000,
      httpAgent: { keepAlive: false },
      httpsAgent: { keepAlive: false },
    },
  });
  return client;
}
