import { readFileSync } from 'node:fs';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { authenticate, authenticateTouches } from '../shared/auth/authenticate.ts';
import { invoke } from '../shared/aws/lambda.ts';
import { ApiError } from '../shared/ground/api-error.ts';
import type { FunctionDeclaration } from '../shared/ground/function.ts';
import { messages } from '../shared/ground/messages.ts';
import { fromEnvironment } from '../shared/ground/resources.ts';
import { preflightHeaders, withCors } from '../shared/http/cors.ts';
import { success } from '../shared/http/envelope.ts';
import { errorResponse, response } from '../shared/http/response.ts';
import { type MatchedPath, matchPath, type Route } from '../shared/http/route.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 25,
  touches: authenticateTouches,
  invokesEndpoints: true,
};

/** Nothing is served at the base address itself: a browser that opens it is sent on to the description. */
const root: MatchedPath = {
  routes: [{ method: 'GET', path: '/', access: 'public', functionName: 'fallback' }],
  pathParameters: {},
};

let table: readonly Route[] | undefined;

/** Any other spelling of a path: matches it without regard to case, or says what is wrong with it. */
export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const result = await respond(event).catch((error: unknown) =>
    errorResponse(error, event.requestContext.requestId),
  );
  return withCors(event, result);
}

async function respond(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const matched = /^\/*$/.test(event.path) ? root : matchPath(routes(), event.path);
  if (!matched) throw new ApiError('notFound', messages.endpointNotFound);
  const allow = allowOf(matched);
  if (event.httpMethod === 'OPTIONS') {
    const headers = { Allow: allow, ...preflightHeaders(event, allow) };
    return response(200, success({}), event.requestContext.requestId, headers);
  }
  const route = matched.routes.find(({ method }) => method === event.httpMethod);
  if (!route) throw new ApiError('methodNotAllowed', messages.methodNotAllowed(allow), { Allow: allow });
  return matched === root ? redirectToDescription(event) : forward(event, route, matched);
}

/** The path in the request's context begins with the stage on the API's default address. */
function redirectToDescription({ requestContext }: APIGatewayProxyEvent): APIGatewayProxyResult {
  const headers = { Location: `${requestContext.path.replace(/\/+$/, '')}/swagger` };
  return response(302, success({}), requestContext.requestId, headers);
}

/** The build puts the route table beside the bundle, so that no endpoint's code is in here. */
function routes(): readonly Route[] {
  table ??= JSON.parse(readFileSync(new URL('./routes.json', import.meta.url), 'utf8')) as Route[];
  return table;
}

function allowOf({ routes: onPath }: MatchedPath): string {
  return [...onPath.map(({ method }) => method), 'OPTIONS'].join(', ');
}

/** The event as the gateway would have handed it to the endpoint's function. */
async function forward(
  event: APIGatewayProxyEvent,
  route: Route,
  { pathParameters }: MatchedPath,
): Promise<APIGatewayProxyResult> {
  const authorizer = route.access === 'public' ? {} : await authenticate(event.multiValueHeaders);
  const requestContext = { ...event.requestContext, resourcePath: route.path, authorizer };
  const forwarded = { ...event, resource: route.path, pathParameters, requestContext };
  const name = `${fromEnvironment('FUNCTION_NAME_PREFIX')}-${route.functionName}`;
  return (await invoke(name, forwarded)) as APIGatewayProxyResult;
}
