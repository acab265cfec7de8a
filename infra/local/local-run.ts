import { join } from 'node:path';
import type { Directory } from '../edge/embedded/visit.ts';
import { type LocalEndpoints, localEnvironment, stackEnvironment } from '../environment.ts';
import { createGateway } from './api/gateway.ts';
import { type Aws, type AwsOptions, startAws } from './aws/start-aws.ts';
import { earlierOriginPort, embeddedEdgeSecrets, prepareDemo } from './demo/demo.ts';
import type { Demo } from './demo/demo-file.ts';
import { createDemoOrigin } from './demo/demo-origin.ts';
import { EventSources } from './events/event-sources.ts';
import { Schedules } from './events/schedules.ts';
import { listen, loopback } from './host/listen.ts';
import { runFileName } from './host/run-file.ts';
import { closeServer, type Stop, stopAll } from './host/stops.ts';
import type { FunctionPool } from './lambda/function-pool.ts';
import { LocalEdge } from './local-edge.ts';
import { identify } from './template/identities.ts';
import { region, Template } from './template/template.ts';

export interface LocalRunOptions extends AwsOptions {
  readonly stackName: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly edgePort: number;
  /** Served by the edge instead of what the API configures. */
  readonly sites?: Directory['sites'];
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

/** The one choice in which a laptop differs from a deployment: origins may lie on it. */
const parameters = { AllowPrivateOrigins: 'true' } as const;

/** Runs the synthesized template on this machine. @throws LocalRunError for what the caller can fix */
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
  const aws = await startAws(options, template, stops, failure);
  Object.assign(process.env, stackEnvironment(stackName), localEnvironment(aws.endpoints, region));
  const secrets = embeddedEdgeSecrets(directory);
  const originUrl = await startOrigin(earlierOriginPort(directory), stops);
  const baseUrl = await startGateway(options, template, aws.functions, stops);
  const { edgePort, sites } = options;
  const edge = new LocalEdge({ ...secrets, api: baseUrl, port: edgePort, directory, sites });
  const edgeUrl = await edge.listen(stops);
  const { demo, isDisabled } = await prepareDemo(directory, { baseUrl, edgeUrl, originUrl }, secrets);
  startEventSources(template, aws, stops);
  await edge.configure(stops);
  directory.writeJson(runFileName, { stackName, region, baseUrl, endpoints: aws.endpoints });
  stops.push(async () => directory.remove(runFileName));
  failure.signal.throwIfAborted();
  return { ...demo, isDisabled, ...aws, failure: failure.signal, stop: () => stopAll(stops) };
}

/** The demo's web site. */
async function startOrigin(port: number, stops: Stop[]): Promise<string> {
  const server = createDemoOrigin();
  const listening = await listen(server, port, 'a port').catch(() => listen(server, 0, 'a free port'));
  stops.push(() => closeServer(server));
  return `http://${loopback}:${listening}`;
}

async function startGateway(
  { port }: LocalRunOptions,
  template: Template,
  functions: FunctionPool,
  stops: Stop[],
): Promise<string> {
  const gateway = createGateway(template, functions);
  const baseUrl = `http://${loopback}:${await listen(gateway, port, 'PORT')}`;
  stops.push((grace) =>
    Promise.race([closeServer(gateway), grace]).finally(() => gateway.closeAllConnections()),
  );
  return baseUrl;
}

/** From here on messages and schedules reach functions. */
function startEventSources(template: Template, { functions, endpoints }: Aws, stops: Stop[]): void {
  const eventSources = new EventSources(template, functions, endpoints.sqs);
  stops.push((grace) => Promise.race([eventSources.stop(), grace]));
  const schedules = new Schedules(template, functions);
  stops.push(async () => schedules.stop());
}
