import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { FunctionError } from '../lambda/execution-environment.ts';
import type { FunctionPool } from '../lambda/function-pool.ts';
import type { Template } from '../template/template.ts';
import { authorizerEvent, type GatewayRequest, gatewayRequest, proxyEvent } from './event.ts';
import { type GatewayResponse, type GatewayResponseType, gatewayResponses } from './gateway-responses.ts';
import { type ApiMethod, type MatchedMethod, matchMethod, templateMethods } from './routes.ts';

const maximumBodyBytes = 10 * 1024 * 1024;
const maximumEventBytes = 6 * 1024 * 1024;

const ProxyResult = z.object({
  statusCode: z.coerce.number().int(),
  headers: z.record(z.string(), z.coerce.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

const Scalar = z.union([z.string(), z.number(), z.boolean()]);
const Authorization = z.object({
  policyDocument: z.object({ Statement: z.array(z.object({ Effect: z.enum(['Allow', 'Deny']) })).min(1) }),
  context: z.record(z.string(), Scalar).default({}),
});

/** Ends a request with one of the gateway's own responses. */
class Refusal extends Error {
  readonly type: GatewayResponseType;
  readonly context: Readonly<Record<string, string>>;

  constructor(type: GatewayResponseType, context: Readonly<Record<string, string>> = {}) {
    super(type);
    this.type = type;
    this.context = context;
  }
}

/** Serves the template's REST API: methods, authorizer, proxy integrations and gateway responses. */
class Gateway {
  private readonly methods: readonly ApiMethod[];
  private readonly responseOf: ReturnType<typeof gatewayResponses>;
  private readonly functions: FunctionPool;

  constructor(template: Template, functions: FunctionPool) {
    this.methods = templateMethods(template);
    this.responseOf = gatewayResponses(template);
    this.functions = functions;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = randomUUID();
    const result = await readBody(request)
      .then((body) => this.integrate(gatewayRequest(request, body, requestId)))
      .catch((error: unknown) => {
        if (error instanceof Refusal) return this.responseOf(error.type, { requestId, ...error.context });
        console.error('the gateway failed:', error);
        return this.responseOf('DEFAULT_5XX', { requestId });
      });
    const body = Buffer.from(result.body);
    response.writeHead(result.statusCode, {
      ...result.headers,
      'Content-Length': body.length,
      'x-amzn-RequestId': requestId,
    });
    response.end(body);
  }

  private async integrate(request: GatewayRequest): Promise<GatewayResponse> {
    const matched = matchMethod(this.methods, request.httpMethod, request.path);
    if (!matched) throw new Refusal('MISSING_AUTHENTICATION_TOKEN');
    const event = proxyEvent(request, matched, await this.authorize(request, matched));
    if ((event.body?.length ?? 0) > maximumEventBytes) throw new Refusal('REQUEST_TOO_LARGE');
    const result = await this.functions.invoke(matched.method.functionName, event).catch((error: unknown) => {
      const timedOut = error instanceof FunctionError && error.errorType === 'Sandbox.Timedout';
      throw new Refusal(timedOut ? 'INTEGRATION_TIMEOUT' : 'DEFAULT_5XX');
    });
    const parsed = ProxyResult.safeParse(result);
    if (!parsed.success) {
      this.functions.logFailure(matched.method.functionName, event, parsed.error);
      throw new Refusal('DEFAULT_5XX');
    }
    const { statusCode, headers, body, isBase64Encoded } = parsed.data;
    const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
    return { statusCode, headers: headers ?? {}, body: bytes };
  }

  /** @returns the authorizer's context, or undefined where the method asks for none */
  private async authorize(request: GatewayRequest, matched: MatchedMethod) {
    const { authorizerName } = matched.method;
    if (!authorizerName) return undefined;
    const event = authorizerEvent(request, matched);
    const result = await this.functions.invoke(authorizerName, event).catch(() => {
      throw new Refusal('AUTHORIZER_FAILURE');
    });
    const parsed = Authorization.safeParse(result);
    if (!parsed.success) {
      this.functions.logFailure(authorizerName, event, parsed.error);
      throw new Refusal('AUTHORIZER_CONFIGURATION_ERROR');
    }
    const context = scalarTexts(parsed.data.context);
    if (parsed.data.policyDocument.Statement.every(({ Effect }) => Effect === 'Allow')) return context;
    throw new Refusal('ACCESS_DENIED', { 'authorizer.message': context.message ?? '' });
  }
}

export function createGateway(template: Template, functions: FunctionPool): Server {
  const gateway = new Gateway(template, functions);
  return createServer((request, response) => {
    gateway.handle(request, response).catch((error: unknown) => {
      console.error('the gateway failed:', error);
      response.destroy();
    });
  });
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maximumBodyBytes) chunks.push(chunk);
  }
  if (size > maximumBodyBytes) throw new Refusal('REQUEST_TOO_LARGE');
  return Buffer.concat(chunks);
}

function scalarTexts(context: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  return Object.fromEntries(Object.entries(context).map(([name, value]) => [name, String(value)]));
}
