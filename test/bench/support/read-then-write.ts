import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { hashApiKey } from '../../../shared/auth/api-key.ts';
import { tableName } from '../../../shared/aws/dynamodb.ts';

/** An authorizer that reads the key, looks at it, and then notes its use. */
export class ReadThenWrite {
  /** As whom it calls AWS. */
  static readonly caller = 'read-then-write';
  private readonly client: DynamoDBDocumentClient;

  constructor(endpoint: string) {
    const credentials = { accessKeyId: ReadThenWrite.caller, secretAccessKey: 'none' };
    this.client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, credentials }));
  }

  async authenticate(key: string): Promise<void> {
    const item = { TableName: tableName('apiKeys'), Key: { hash: hashApiKey(key) } };
    const { Item } = await this.client.send(new GetCommand({ ...item, ConsistentRead: true }));
    if (!Item || Item.revokedAt || Item.accountDisabledAt) throw new Error('The key is not valid');
    await this.client.send(
      new UpdateCommand({
        ...item,
        UpdateExpression: 'SET lastUsedAt = :now',
        ExpressionAttributeValues: { ':now': new Date().toISOString() },
      }),
    );
  }
}
