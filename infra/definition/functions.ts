import { endpoints } from '../../functions/endpoints.ts';
import { otherFunctions } from '../../functions/other-functions.ts';
import type { FunctionDeclaration } from '../../shared/ground/function.ts';
import type { Touches } from '../../shared/ground/resources.ts';
import { touching } from '../../shared/ground/touches.ts';
import type { Endpoint } from '../../shared/http/endpoint.ts';
import { isIdempotent } from '../../shared/http/idempotency.ts';
import { idempotencyTouches } from '../../shared/http/idempotency-table.ts';
import type { Route } from '../../shared/http/route.ts';

/** One Lambda function: its source file is its bundle, its name and its role. */
export interface ServiceFunctionSource {
  /** Path below `functions`, without the ending. */
  readonly file: string;
  readonly name: string;
  readonly declaration: FunctionDeclaration;
  readonly endpoint?: Endpoint;
}

const endpointTimeoutSeconds = 15;

export const functionSources: readonly ServiceFunctionSource[] = [
  ...Object.entries(otherFunctions).map(([file, declaration]) => ({ file, name: nameOf(file), declaration })),
  ...Object.entries(endpoints).map(([file, endpoint]) => ({
    file,
    name: nameOf(file),
    declaration: { timeoutSeconds: endpointTimeoutSeconds, touches: touchesOf(endpoint) },
    endpoint,
  })),
];

/** Everything that has a path, as the fallback knows it. */
export const routes: readonly Route[] = functionSources.flatMap((source) => routeOf(source) ?? []);

function nameOf(file: string): string {
  return file.replaceAll('/', '-');
}

/** What an endpoint declares, and what serving it takes. */
function touchesOf(endpoint: Endpoint): Touches {
  return isIdempotent(endpoint) ? touching(endpoint.touches, idempotencyTouches) : endpoint.touches;
}

function routeOf({ name, declaration, endpoint }: ServiceFunctionSource): Route | undefined {
  if (endpoint) {
    const { method, path, access } = endpoint;
    return { method, path, access, functionName: name };
  }
  const path = declaration.serves;
  return path && { method: 'GET', path, access: 'public', functionName: name };
}
