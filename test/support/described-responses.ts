import { matchPath } from '../../shared/http/route.ts';
import { type ApiResponse, checkResponses } from './api-client.ts';
import { describedSchemas, description } from './description.ts';

const envelopeFields = [
  ...['succeeded', 'message', 'data', 'pageNumber', 'pageSize', 'totalPages', 'totalRecords'],
].join();

/** Statuses of the gateway itself, for any operation. */
const gatewayStatuses: readonly number[] = [429, 502, 504];

const promisedHeaders = ['X-Request-Id', 'ETag', 'Idempotent-Replay', 'Retry-After'] as const;

function operations() {
  const document = description();
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase() as 'GET',
      path,
      access: 'public' as const,
      functionName: method,
    })),
  );
  return { document, routes, schemas: describedSchemas() };
}

let known: ReturnType<typeof operations> | undefined;

function headerFaults(described: Readonly<Record<string, unknown>>, { headers }: ApiResponse): string[] {
  return promisedHeaders.flatMap((name) => {
    const isThere = headers[name.toLowerCase()] !== undefined;
    if (isThere && !(name in described)) return [`it carries ${name}`];
    return name === 'X-Request-Id' && !isThere ? ['it lacks X-Request-Id'] : [];
  });
}

/** What is in the response and not in the description, or the other way round; of other paths nothing. */
export function responseFaults(method: string, path: string, response: ApiResponse): readonly string[] {
  known ??= operations();
  const { document, routes, schemas } = known;
  const route = matchPath(routes, path.split('?')[0] ?? '')?.routes.find((each) => each.method === method);
  const operation = route && document.paths[route.path]?.[method.toLowerCase() as 'get'];
  if (!route || !operation || gatewayStatuses.includes(response.status)) return [];
  const described = operation.responses[response.status];
  if (!described) return [`${operation.operationId} does not respond with ${response.status}`];
  const place = ['paths', route.path, method.toLowerCase(), 'responses', String(response.status)];
  return [
    ...headerFaults(described.headers, response),
    ...(Object.keys(response.envelope).join() === envelopeFields ? [] : ['it is not in the envelope']),
    ...schemas.faults([...place, 'content', 'application/json', 'schema'], response.envelope),
  ];
}

checkResponses((method, path, response) => {
  const faults = responseFaults(method, path, response);
  if (faults.length === 0) return;
  throw new Error(
    `${method} ${path} responded with ${response.status} other than described: ${faults.join('; ')}\n${response.text}`,
  );
});
