import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DataDirectory } from '../data-directory.ts';
import { FunctionError } from '../lambda/execution-environment.ts';
import type { FunctionPool } from '../lambda/function-pool.ts';
import type { Template } from '../template.ts';
import { AwsError } from './aws-error.ts';
import { localKms } from './kms.ts';

const invocationPath = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

type Operation = (input: unknown) => object;

/** Serves the few operations of KMS and Lambda that functions call, at the SDK's end-point variables. */
export const createAwsServices = (
  template: Template,
  directory: DataDirectory,
  functions: FunctionPool,
): Server => {
  const kms: Readonly<Record<string, Operation>> = localKms(template, directory);

  const invoke = async (name: string, body: string, response: ServerResponse): Promise<void> => {
    if (!functions.has(name)) throw new AwsError('ResourceNotFoundException', `There is no function ${name}`);
    try {
      const value = await functions.invoke(name, JSON.parse(body));
      response.end(JSON.stringify(value));
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error;
      response.setHeader('X-Amz-Function-Error', 'Unhandled');
      response.end(JSON.stringify({ errorType: error.errorType, errorMessage: error.message }));
    }
  };

  const call = (target: string, body: string): object => {
    const [service, name = ''] = target.split('.');
    const operation = service === 'TrentService' ? kms[name] : undefined;
    if (!operation) throw new AwsError('UnknownOperationException', `The local run does not serve ${target}`);
    return operation(JSON.parse(body));
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const name = invocationPath.exec(request.url ?? '')?.[1];
    if (name) return invoke(decodeURIComponent(name), body, response);
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
};
