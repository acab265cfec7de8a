import { messageOf } from '../../../shared/ground/message-of.ts';
import { type LocalEndpoints, localEnvironment } from '../../environment.ts';
import type { DataDirectory } from '../host/data-directory.ts';
import { functionsLogName, openFunctionsLog } from '../host/functions-log.ts';
import { listen, loopback } from '../host/listen.ts';
import { LocalRunError } from '../host/local-run-error.ts';
import { closeServer, type Stop } from '../host/stops.ts';
import type { EnvironmentLimits, MakeEnvironment } from '../lambda/environments.ts';
import { FunctionPool } from '../lambda/function-pool.ts';
import { templateFunctions } from '../lambda/template-functions.ts';
import { region, type Template } from '../template/template.ts';
import { startDatabase } from './dynamodb.ts';
import { createAwsServices } from './services.ts';
import { type LocalQueues, startQueues } from './sqs.ts';

export interface AwsOptions {
  /** The synthesized cloud assembly. */
  readonly assembly: string;
  readonly directory: DataDirectory;
  /** A DynamoDB-compatible database in place of the embedded one. */
  readonly dynamodbEndpoint?: string | undefined;
  /** Puts something between the functions and the services that they call. */
  readonly interpose?: (endpoints: LocalEndpoints) => Promise<LocalEndpoints>;
  /** What functions run in; threads of this process by default. */
  readonly makeEnvironment?: MakeEnvironment;
  /** How many of those there are, and for how long; what a laptop has room for by default. */
  readonly environmentLimits?: EnvironmentLimits;
}

export interface Aws {
  readonly endpoints: LocalEndpoints;
  readonly functions: FunctionPool;
}

/** AWS as the template asks for it: database, queues, keys and functions. */
export async function startAws(
  options: AwsOptions,
  template: Template,
  stops: Stop[],
  failure: AbortController,
): Promise<Aws> {
  const { directory, assembly, interpose, makeEnvironment, environmentLimits } = options;
  const log = openFunctionsLog(directory.file(functionsLogName), failure);
  stops.push(() => log.stop());
  const functions = new FunctionPool(log.stream, makeEnvironment, environmentLimits);
  const endpoints = await startServices(options, template, functions, stops, failure);
  const seenByFunctions = interpose ? await interpose(endpoints) : endpoints;
  functions.load(templateFunctions(template, assembly, localEnvironment(seenByFunctions, region)));
  stops.push(() => functions.terminate());
  return { endpoints, functions };
}

async function startServices(
  { directory, dynamodbEndpoint }: AwsOptions,
  template: Template,
  functions: FunctionPool,
  stops: Stop[],
  failure: AbortController,
): Promise<LocalEndpoints> {
  const file = directory.file('dynamodb.sqlite');
  const database = await startDatabase(template, file, dynamodbEndpoint, failure);
  stops.push(() => database.stop());
  const queues = await openQueues(template, directory.file('sqs'));
  stops.push(() => queues.stop());
  const server = createAwsServices(template, directory, functions);
  const url = `http://${loopback}:${await listen(server, 0, 'a free port')}`;
  stops.push(() => closeServer(server));
  return {
    dynamodb: database.endpoint,
    sqs: queues.endpoint,
    kms: url,
    secretsManager: url,
    lambda: url,
  };
}

async function openQueues(template: Template, folder: string): Promise<LocalQueues> {
  try {
    return await startQueues(template, folder);
  } catch (error) {
    throw new LocalRunError(`The queues in ${folder} cannot be opened: ${messageOf(error)}`);
  }
}
