import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { lambda } from '../../../shared/aws/lambda.ts';

/** Reads a variable of a deployed function. @throws Error when it has none of that name */
export async function functionSetting(functionName: string, variable: string): Promise<string> {
  const { Environment } = await lambda().send(
    new GetFunctionConfigurationCommand({ FunctionName: functionName }),
  );
  const value = Environment?.Variables?.[variable];
  if (value === undefined) throw new Error(`${functionName} has no ${variable}`);
  return value;
}
