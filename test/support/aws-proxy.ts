import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { request as send } from 'undici';
import type { LocalEndpoints } from '../../infra/environment.ts';
import { listen } from '../../infra/local/host/listen.ts';
import { type AwsCall, type AwsRequest, neededGrants, readRequest } from './aws-calls.ts';
import type { Grants } from './grants.ts';

/**
 * Responds in a service's place: return undefined to let the call through, or a promise to hold it until then.
 * @param callId the same for every try of one call
 */
type Fault = (
  operation: string,
  body: Readonly<Record<string, unknown>>,
  functionName: string,
  callId: string,
) => AwsFault | undefined | Promise<undefined>;

export type AwsFault =
  | { readonly type: string; readonly status?: number }
  | 'refuse'
  | 'hang'
  | 'conflict'
  /** The call is done, and its response never arrives. */
  | 'lose';

/** What DynamoDB raises under plain load and its stand-in never does. */
const transactionConflict = {
  type: 'TransactionCanceledException',
  status: 400,
  CancellationReasons: [{ Code: 'TransactionConflict', Message: 'injected' }],
} as const;

function callerOf(request: IncomingMessage): string {
  return /Credential=([^/]+)\//.exec(String(request.headers.authorization))?.[1] ?? 'nobody';
}

/**
 * Stands between the functions and AWS: counts calls and capacity, plays faults, and refuses what a function's
 * role does not allow, as IAM would.
 */
export class AwsProxy {
  readonly calls: AwsCall[] = [];
  /** What a role refused; a test that finds any has found a missing grant. */
  readonly denied: string[] = [];
  fault: Fault = () => undefined;
  /** A queue whose messages are not delayed, whatever was asked for: the end of its name. */
  undelayed: string | undefined;
  private readonly server: Server;
  private readonly grants: Grants;
  private upstream: LocalEndpoints | undefined;

  constructor(grants: Grants) {
    this.grants = grants;
    this.server = createServer((request, response) => {
      this.handle(request, response).catch((error: unknown) => {
        console.error('The proxy of AWS has failed:', error);
        response.destroy();
      });
    });
  }

  async interpose(upstream: LocalEndpoints): Promise<LocalEndpoints> {
    this.upstream = upstream;
    const url = `http://127.0.0.1:${await listen(this.server, 0, 'the proxy')}`;
    return {
      dynamodb: url,
      sqs: url,
      kms: url,
      secretsManager: url,
      lambda: url,
      cloudfront: upstream.cloudfront && url,
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await buffer(request);
    const asked = readRequest(request, raw.toString());
    const caller = callerOf(request);
    const missing = neededGrants(asked).filter((grant) => !this.grants.get(caller)?.has(grant));
    if (missing.length > 0) {
      this.denied.push(...missing.map((grant) => `${caller}: ${grant}`));
      return this.fail(response, { type: 'AccessDeniedException' });
    }
    const callId = String(request.headers['amz-sdk-invocation-id']);
    const fault = await this.fault(`${asked.service}:${asked.action}`, asked.body, caller, callId);
    if (fault && fault !== 'lose') return this.fail(response, fault);
    await this.forward(request, response, raw, asked, caller, fault === 'lose');
  }

  private fail(response: ServerResponse, fault: Exclude<AwsFault, 'lose'>): void {
    if (fault === 'hang') return;
    if (fault === 'refuse') {
      response.destroy();
      return;
    }
    const { type, status = 400, ...rest } = fault === 'conflict' ? transactionConflict : fault;
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ __type: `com.amazonaws#${type}`, message: 'injected', ...rest }));
  }

  private async forward(
    request: IncomingMessage,
    response: ServerResponse,
    raw: Buffer,
    { service, action, body }: AwsRequest,
    functionName: string,
    isLost: boolean,
  ): Promise<void> {
    const startedAt = performance.now();
    const sent =
      service === 'dynamodb' ? { ...body, ReturnConsumedCapacity: 'TOTAL' } : { ...body, DelaySeconds: 0 };
    const isChanged = service === 'dynamodb' || this.isUndelayed(action, body);
    const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers;
    const received = await send(`${this.upstream?.[service]}${request.url}`, {
      method: request.method === 'GET' ? 'GET' : 'POST',
      headers,
      body: isChanged ? JSON.stringify(sent) : raw,
    });
    const bytes = Buffer.from(await received.body.arrayBuffer());
    const isRead = /Get|Query|Scan/.test(action);
    const units = service === 'dynamodb' ? unitsIn(bytes) : 0;
    this.calls.push({
      functionName,
      operation: `${service}:${action}`,
      table: typeof body.TableName === 'string' ? body.TableName : undefined,
      requestBytes: raw.length,
      startedAt,
      endedAt: performance.now(),
      writeUnits: isRead ? 0 : units,
      readUnits: isRead ? units : 0,
    });
    if (isLost) return void response.destroy();
    response.writeHead(received.statusCode, received.headers as Record<string, string>);
    response.end(bytes);
  }

  private isUndelayed(action: string, { QueueUrl }: AwsRequest['body']): boolean {
    return (
      action === 'SendMessage' && this.undelayed !== undefined && String(QueueUrl).endsWith(this.undelayed)
    );
  }
}

function unitsIn(bytes: Buffer): number {
  const { ConsumedCapacity } = JSON.parse(bytes.toString()) as {
    ConsumedCapacity?: { CapacityUnits: number } | { CapacityUnits: number }[];
  };
  return [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
}
