import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { lambda } from '../../../shared/aws/lambda.ts';

/** In which form a deployed function's lines are written, and into which log group. */
export async function functionLogging(FunctionName: string) {
  const { LoggingConfig } = await lambda().send(new GetFunctionConfigurationCommand({ FunctionName }));
  return { format: LoggingConfig?.LogFormat, logGroup: LoggingConfig?.LogGroup };
}
