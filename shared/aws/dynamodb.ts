import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { fromEnvironment, type TableName, tableVariable } from '../ground/resources.ts';
import { clientSettings, unlogged } from './client-settings.ts';

let client: DynamoDBDocumentClient | undefined;

/** The process's client, made at its first use so that no import does work. */
export function dynamodb(): DynamoDBDocumentClient {
  client ??= DynamoDBDocumentClient.from(unlogged(new DynamoDBClient(clientSettings())), {
    marshallOptions: { removeUndefinedValues: true },
  });
  return client;
}

export function tableName(name: TableName): string {
  return fromEnvironment(tableVariable(name));
}
