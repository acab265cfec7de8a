import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DataDirectory } from '../host/data-directory.ts';
import { FunctionError } from '../lambda/execution-environment.ts';
import type { FunctionPool } from '../lambda/function-pool.ts';
import type { Template } from '../template/template.ts';
import { AwsError } from './aws-error.ts';
import { localKms } from './kms.ts';
import { localSecretsManager } from './secrets-manager.ts';

const functionPath = /^\/2015-03-31\/functions\/([^/]+)\/(invocations|configuration)$/;

type Operation = (input: unknown) => object;

/** Serves the few operations of KMS, Secrets Manager and Lambda that functions call, at the SDK's end-point variables. */
export function createAwsServices(
  template: Template,
  directory: DataDirectory,
  functions: FunctionPool,
): Server {
  const services: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
    TrentService: localKms(template, directory),
    secretsmanager: localSecretsManager(template, directory),
  };

  const invoke = async (name: string, body: string, response: ServerResponse): Promise<void> => {
    try {
      const value = await functions.invoke(name, JSON.parse(body), { isNested: true });
      response.end(JSON.stringify(value));
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error;
      response.setHeader('X-Amz-Function-Error', 'Unhandled');
      response.end(JSON.stringify({ errorType: error.errorType, errorMessage: error.message }));
    }
  };

  const call = (target: string, body: string): object => {
    const [service = '', name = ''] = target.split('.');
    const operation = services[service]?.[name];
    if (!operation) throw new AwsError('UnknownOperationException', `The local run does not serve ${target}`);
    return operation(JSON.parse(body));
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const [, name, operation] = functionPath.exec(request.url ?? '') ?? [];
    if (name) {
      const Variables = functions.environmentOf(name);
      if (!Variables) throw new AwsError('ResourceNotFoundException', `There is no function ${name}`);
      if (operation === 'invocations') return invoke(name, body, response);
      response.end(JSON.stringify({ FunctionName: name, Environment: { Variables } }));
      return;
    }
    response.setHeader('Content-Type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify(call(String(request.headers['x-amz-target'] ?? ''), body)));
  };

  return createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.statusCode = error instanceof AwsError ? 400 : 500;
      const type = error instanceof AwsError ? error.type : 'InternalFailure';
      response.setHeader('x-amzn-errortype', type);
      response.end(JSON.stringify({ __type: type, message: error instanceof Error ? error.message : '' }));
    });
  });
}
