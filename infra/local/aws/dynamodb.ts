import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { messageOf } from '../../../shared/ground/message-of.ts';
import { LocalRunError } from '../host/local-run-error.ts';
import type { Template } from '../template/template.ts';
import { type LocalDatabase, startEmbeddedDatabase } from './embedded-database.ts';

const startMilliseconds = 10_000;
const pollMilliseconds = 20;

/**
 * Starts the embedded database, or takes the one that is named, and makes the template's tables.
 * @param external end point of a DynamoDB-compatible database, in place of the embedded one
 * @param failure is aborted when the embedded database ends without having been asked to
 */
export async function startDatabase(
  template: Template,
  file: string,
  external: string | undefined,
  failure: AbortController,
): Promise<LocalDatabase> {
  const database = external
    ? { endpoint: external, stop: async () => undefined }
    : await startEmbeddedDatabase(file, failure);
  const client = clientOf(database.endpoint);
  try {
    await untilReady(client, failure.signal);
    await createTables(client, template);
  } catch (error) {
    await database.stop();
    throw error;
  } finally {
    client.destroy();
  }
  return database;
}

function clientOf(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
  });
}

async function untilReady(client: DynamoDBClient, failure: AbortSignal): Promise<void> {
  const deadline = Date.now() + startMilliseconds;
  for (;;) {
    try {
      await client.send(new ListTablesCommand({}));
      return;
    } catch (error) {
      failure.throwIfAborted();
      if (Date.now() > deadline)
        throw new LocalRunError(`The database does not respond: ${messageOf(error)}`);
      await sleep(pollMilliseconds);
    }
  }
}

async function createTables(client: DynamoDBClient, template: Template): Promise<void> {
  for (const [, { Properties }] of template.ofType('AWS::DynamoDB::GlobalTable')) {
    const { TableName, KeySchema, AttributeDefinitions, BillingMode, TimeToLiveSpecification } =
      template.resolve(Properties) as CreateTableCommandInput & {
        TimeToLiveSpecification?: { AttributeName: string; Enabled: boolean };
      };
    const input = { TableName, KeySchema, AttributeDefinitions, BillingMode };
    if (await tableExists(client, input)) continue;
    await client.send(new CreateTableCommand(input));
    if (TimeToLiveSpecification) {
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    }
  }
}

async function tableExists(client: DynamoDBClient, input: CreateTableCommandInput): Promise<boolean> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: input.TableName }));
    if (JSON.stringify(Table?.KeySchema) === JSON.stringify(input.KeySchema)) return true;
    throw new LocalRunError(
      `The data directory is of another version: table ${input.TableName} has other keys.`,
    );
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
}
