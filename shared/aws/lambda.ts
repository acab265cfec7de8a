import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';

let client: LambdaClient | undefined;

/** @throws Error when the function failed or answered nothing */
export async function invoke(functionName: string, event: object): Promise<unknown> {
  const { FunctionError, Payload } = await lambda().send(
    new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(event) }),
  );
  if (FunctionError || !Payload) throw new Error(`${functionName} failed: ${FunctionError ?? 'no answer'}`);
  return JSON.parse(Buffer.from(Payload).toString('utf8'));
}

/** Reads a variable of a deployed function, for the operator. @throws Error when it has none of that name */
export async function functionSetting(functionName: string, variable: string): Promise<string> {
  const { Environment } = await lambda().send(
    new GetFunctionConfigurationCommand({ FunctionName: functionName }),
  );
  const value = Environment?.Variables?.[variable];
  if (value === undefined) throw new Error(`${functionName} has no ${variable}`);
  return value;
}

/** Waits longer than any endpoint may take, and asks once: a second try could do the work twice. */
function lambda(): LambdaClient {
  client ??= new LambdaClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 500, requestTimeout: 20_000, throwOnRequestTimeout: true },
  });
  return client;
}
