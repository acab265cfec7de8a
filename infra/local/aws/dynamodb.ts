import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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
import { freePort, loopback } from '../listen.ts';
import { LocalRunError } from '../local-run-error.ts';
import type { Template } from '../template.ts';

const startMilliseconds = 10_000;
const pollMilliseconds = 20;

/** Ends the database with this process, however that ends: the shell sees its standard input close. */
const untilParentEnds = '"$@" & child=$!; trap "kill $child" TERM; cat >/dev/null; kill $child; wait $child';

export interface LocalDatabase {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts the embedded database, or takes the one that is named, and makes the template's tables.
 * @param external end point of a DynamoDB-compatible database, in place of the embedded one
 */
export async function startDatabase(
  template: Template,
  file: string,
  external: string | undefined,
): Promise<LocalDatabase> {
  const database = external
    ? { endpoint: external, hasEnded: () => false, stop: async () => undefined }
    : await startEmbedded(file);
  const client = clientOf(database.endpoint);
  try {
    await untilReady(client, database.hasEnded);
    await createTables(client, template);
  } catch (error) {
    await database.stop();
    throw error;
  } finally {
    client.destroy();
  }
  return database;
}

async function startEmbedded(file: string): Promise<LocalDatabase & { hasEnded(): boolean }> {
  const program = executable();
  if (!program) {
    throw new LocalRunError(
      'No embedded database for this platform. Set DYNAMODB_ENDPOINT to a DynamoDB-compatible end point.',
    );
  }
  const port = await freePort();
  const child = spawnDatabase(program, port, file);
  const ended = Promise.withResolvers<void>();
  child.once('exit', () => ended.resolve());
  return {
    endpoint: `http://${loopback}:${port}`,
    hasEnded: () => child.exitCode !== null,
    stop: () => {
      child.stdin?.end();
      return ended.promise;
    },
  };
}

function executable(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/package.json');
    return join(dirname(manifest), 'dynoxide');
  } catch {
    return undefined;
  }
}

function spawnDatabase(program: string, port: number, file: string): ChildProcess {
  return spawn(
    'sh',
    [
      '-c',
      untilParentEnds,
      'sh',
      program,
      'serve',
      '--host',
      loopback,
      '--port',
      String(port),
      '--db-path',
      file,
    ],
    { stdio: ['pipe', 'ignore', openSync(`${file}.log`, 'w')], detached: true },
  );
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

async function untilReady(client: DynamoDBClient, hasEnded: () => boolean): Promise<void> {
  const deadline = Date.now() + startMilliseconds;
  for (;;) {
    try {
      await client.send(new ListTablesCommand({}));
      return;
    } catch (error) {
      if (hasEnded())
        throw new LocalRunError('The embedded database did not start: is the data directory broken?');
      if (Date.now() > deadline)
        throw new LocalRunError(`The database does not answer: ${(error as Error).message}`);
      await sleep(pollMilliseconds);
    }
  }
}

async function createTables(client: DynamoDBClient, template: Template): Promise<void> {
  for (const [, { Properties }] of template.ofType('AWS::DynamoDB::Table')) {
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
