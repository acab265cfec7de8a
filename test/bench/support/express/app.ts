import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import express, { type Express, type RequestHandler } from 'express';
import type { Endpoint } from '../../../../shared/http/endpoint.ts';

const largestBody = '4mb';

/** A file of functions in the twin. */
export interface EndpointModule {
  readonly endpoint: Endpoint;
  readonly handler: RequestHandler;
}

/** All endpoints in one application, as one would write it who does not split it into functions. */
export function makeApp(modules: readonly EndpointModule[]): Express {
  const app = express().disable('x-powered-by').disable('etag');
  for (const { endpoint, handler } of modules) {
    const method = endpoint.method.toLowerCase() as Lowercase<Endpoint['method']>;
    app[method](endpoint.path.replace(/\{(\w+)\}/g, ':$1'), ...parsersOf(endpoint), handler);
  }
  return app;
}

function parsersOf({ body, rawBody }: Endpoint): readonly RequestHandler[] {
  const every = { type: () => true, limit: largestBody };
  if (rawBody) return [express.raw({ ...every, inflate: false })];
  return body ? [express.json(every)] : [];
}

/** The application as one Lambda function, without what an adapter for every case would load and do. */
export function lambdaHandler(app: Express) {
  return ({ httpMethod, path, multiValueHeaders, body }: APIGatewayProxyEvent) => {
    const content = Buffer.from(body ?? '', 'base64');
    const request = new IncomingMessage(new Socket());
    request.method = httpMethod;
    request.url = path;
    request.headersDistinct = lowerCased({ ...multiValueHeaders, 'Content-Length': [`${content.length}`] });
    request.headers = Object.fromEntries(
      Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.join(', ')]),
    );
    request.push(content);
    request.push(null);
    return new Promise((resolve) => {
      const reply = new ServerResponse(request);
      reply.end = (text?: unknown) => {
        resolve({ statusCode: reply.statusCode, headers: reply.getHeaders(), body: String(text) });
        return reply;
      };
      app(request as never, reply as never);
    });
  };
}

function lowerCased(headers: APIGatewayProxyEvent['multiValueHeaders']): NodeJS.Dict<string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [name.toLowerCase(), values]));
}
