import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AccessLog } from '../edge/embedded/access-log.ts';
import { EmbeddedEdge } from '../edge/embedded/embedded-edge.ts';
import { type LocalEndpoints, localEnvironment, stackEnvironment } from '../environment.ts';
import { createGateway } from './api/gateway.ts';
import { startDatabase } from './aws/dynamodb.ts';
import { createAwsServices } from './aws/services.ts';
import { startQueues } from './aws/sqs.ts';
import type { DataDirectory } from './data-directory.ts';
import { type EdgeSecrets, embeddedEdgeSecrets, prepareDemo } from './demo.ts';
import type { Demo } from './demo-file.ts';
import { createDemoOrigin } from './demo-origin.ts';
import { demoHostname } from './demo-property.ts';
import { EventSources } from './event-sources.ts';
import { functionsLogName, openFunctionsLog } from './functions-log.ts';
import { identify } from './identities.ts';
import { FunctionPool, type MakeEnvironment } from './lambda/function-pool.ts';
import { templateFunctions } from './lambda/template-functions.ts';
import { listen, loopback } from './listen.ts';
import { LocalRunError } from './local-run-error.ts';
import { runFileName } from './run-file.ts';
import { Schedules } from './schedules.ts';
import { region, Template } from './template.ts';

export interface LocalRunOptions {
  /** The synthesized cloud assembly. */
  readonly assembly: string;
  readonly stackName: string;
  readonly directory: DataDirectory;
  /** 0 takes a free port. */
  readonly port: number;
  readonly edgePort: number;
  /** A DynamoDB-compatible database in place of the embedded one. */
  readonly dynamodbEndpoint?: string | undefined;
  /** Puts something between the functions and the services that they call. */
  readonly interpose?: (endpoints: LocalEndpoints) => Promise<LocalEndpoints>;
  /** What functions run in; threads of this process by default. */
  readonly makeEnvironment?: MakeEnvironment;
}

export interface LocalRun extends Demo {
  /** Whether the demo account is disabled, so that its key is refused. */
  readonly isDisabled: boolean;
  readonly endpoints: LocalEndpoints;
  readonly functions: FunctionPool;
  /** Aborted, with a LocalRunError, when something that it cannot do without is gone; what is stored is safe. */
  readonly failure: AbortSignal;
  /** Ends everything within 5 s and loses nothing: what is in hand is finished or handed out again later. */
  stop(): Promise<void>;
}

type Stop = () => Promise<unknown>;

const graceMilliseconds = 1_800;

/** The one choice in which a laptop differs from a deployment: origins may lie on it. */
const parameters = { AllowPrivateOrigins: 'true' } as const;

interface Services {
  readonly endpoints: LocalEndpoints;
  readonly functions: FunctionPool;
}

/** Runs the synthesized template on this machine. @throws LocalRunError for what the caller can mend */
export async function startLocalRun(options: LocalRunOptions): Promise<LocalRun> {
  const stops: Stop[] = [async () => options.directory.close()];
  const failure = new AbortController();
  return start(options, stops, failure).catch(async (error: unknown) => {
    const cause: unknown = failure.signal.reason ?? error;
    await stopAll(stops);
    throw cause;
  });
}

async function start(options: LocalRunOptions, stops: Stop[], failure: AbortController): Promise<LocalRun> {
  const { assembly, stackName, directory } = options;
  const template = new Template(join(assembly, `${stackName}.template.json`), identify, parameters);
  const services = await startServices(options, template, stops, failure);
  Object.assign(process.env, stackEnvironment(stackName), localEnvironment(services.endpoints, region));
  const secrets = embeddedEdgeSecrets(directory);
  const log = new AccessLog();
  const { originUrl, edgeUrl } = await startEdge(options, secrets, log, stops);
  const baseUrl = await startGateway(options, template, services.functions, stops);
  const { demo, isDisabled } = await prepareDemo(directory, { baseUrl, edgeUrl, originUrl }, secrets);
  startEventSources(template, services, stops);
  log.start(baseUrl, secrets.token);
  stops.push(() => Promise.race([log.stop(baseUrl, secrets.token), sleep(graceMilliseconds)]));
  directory.writeJson(runFileName, { stackName, region, endpoints: services.endpoints });
  stops.push(async () => directory.remove(runFileName));
  failure.signal.throwIfAborted();
  return { ...demo, isDisabled, ...services, failure: failure.signal, stop: () => stopAll(stops) };
}

/** AWS as the template asks for it: database, queues, keys and functions. */
async function startServices(
  options: LocalRunOptions,
  template: Template,
  stops: Stop[],
  failure: AbortController,
): Promise<Services> {
  const { directory, assembly, dynamodbEndpoint, interpose, makeEnvironment } = options;
  const log = openFunctionsLog(directory.file(functionsLogName), failure);
  stops.push(() => log.stop());
  const functions = new FunctionPool(log.stream, makeEnvironment);
  const databaseFile = directory.file('dynamodb.sqlite');
  const database = await startDatabase(template, databaseFile, dynamodbEndpoint, failure);
  stops.push(() => database.stop());
  const queues = await startQueues(template, directory.file('sqs')).catch((error: unknown) => {
    throw new LocalRunError(
      `The queues in ${directory.file('sqs')} cannot be opened: ${(error as Error).message}`,
    );
  });
  stops.push(() => queues.stop());
  const server = createAwsServices(template, directory, functions);
  const url = `http://${loopback}:${await listen(server, 0, 'a free port')}`;
  stops.push(() => closeServer(server));
  const endpoints = {
    dynamodb: database.endpoint,
    sqs: queues.endpoint,
    kms: url,
    secretsManager: url,
    lambda: url,
  };
  const seenByFunctions = interpose ? await interpose(endpoints) : endpoints;
  functions.load(templateFunctions(template, assembly, localEnvironment(seenByFunctions, region)));
  stops.push(() => functions.terminate());
  return { endpoints, functions };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** The demo's web site and the cache in front of it. */
async function startEdge(
  { edgePort }: LocalRunOptions,
  { secret }: EdgeSecrets,
  log: AccessLog,
  stops: Stop[],
) {
  const originServer = createDemoOrigin();
  const originUrl = `http://${loopback}:${await listen(originServer, 0, 'a free port')}`;
  stops.push(() => closeServer(originServer));
  const edge = new EmbeddedEdge({ origin: originUrl, secret, defaultHostname: demoHostname, log });
  const edgeUrl = `http://${loopback}:${await listen(edge.server, edgePort, 'EDGE_PORT')}`;
  stops.push(() => edge.stop());
  return { originUrl, edgeUrl };
}

async function startGateway(
  { port }: LocalRunOptions,
  template: Template,
  functions: FunctionPool,
  stops: Stop[],
): Promise<string> {
  const gateway = createGateway(template, functions);
  const baseUrl = `http://${loopback}:${await listen(gateway, port, 'PORT')}`;
  stops.push(() =>
    Promise.race([closeServer(gateway), sleep(graceMilliseconds)]).finally(() =>
      gateway.closeAllConnections(),
    ),
  );
  return baseUrl;
}

/** From here on messages and schedules reach functions. */
function startEventSources(template: Template, { functions, endpoints }: Services, stops: Stop[]): void {
  const eventSources = new EventSources(template, functions, endpoints.sqs);
  stops.push(() => Promise.race([eventSources.stop(), sleep(graceMilliseconds)]));
  const schedules = new Schedules(template, functions);
  stops.push(async () => schedules.stop());
}

/** Ends what was started, the last first, and goes on when one of them fails. */
async function stopAll(stops: readonly Stop[]): Promise<void> {
  for (const stop of stops.toReversed())
    await stop().catch((error: unknown) => console.error('while stopping:', error));
}
