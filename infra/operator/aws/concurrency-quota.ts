import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda';
import { lambda } from '../../../shared/aws/lambda.ts';

/** How many executions of Lambda the account may have at a time that are reserved for no function. */
export async function unreservedConcurrency(): Promise<number> {
  const { AccountLimit } = await lambda().send(new GetAccountSettingsCommand());
  return AccountLimit?.UnreservedConcurrentExecutions ?? 0;
}
