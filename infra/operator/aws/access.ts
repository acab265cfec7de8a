import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { messageOf } from '../../../shared/ground/message-of.ts';

/**
 * Finds out whether AWS can be asked at all, before each call looks in vain for what is not there.
 * @throws Error saying in one line what to set
 */
export async function requireAccess(): Promise<void> {
  const { config } = new DynamoDBClient({});
  const region = await config.region().catch(() => undefined);
  if (!region)
    throw new Error(
      'No AWS region is set. Set AWS_REGION, or AWS_PROFILE to a profile of your AWS configuration that has one.',
    );
  try {
    await config.credentials();
  } catch (error) {
    throw new Error(
      `There are no AWS credentials (${messageOf(error).split('\n')[0]}). Set AWS_PROFILE to a profile of your AWS configuration, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    );
  }
}
