import type { Access, Method } from './endpoint.ts';

/** An endpoint as the fallback knows it: written by the build from the declarations. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  /** Name of the endpoint's function, without the stack's prefix. */
  readonly functionName: string;
}

export interface MatchedPath {
  /** Routes on this path, one for each method. */
  readonly routes: readonly Route[];
  readonly pathParameters: Readonly<Record<string, string>>;
}

const parameter = /^\{(\w+)\}$/;

/**
 * Finds the routes of a path without regard to case, to one trailing slash, or to more than one leading slash,
 * which a base address that ends in a slash makes; parameters stay as they came, as the gateway leaves them.
 * A literal wins over a parameter in the same place.
 * @param path percent-encoded, as the gateway hands it over
 */
export function matchPath(routes: readonly Route[], path: string): MatchedPath | undefined {
  const segments = path.replace(/^\/+/, '/').replace(/\/$/, '').split('/').slice(1);
  const matches = routes.flatMap((route) => {
    const pathParameters = matchSegments(route.path.split('/').slice(1), segments);
    return pathParameters ? [{ route, pathParameters }] : [];
  });
  const fewest = matches.sort(
    (a, b) => Object.keys(a.pathParameters).length - Object.keys(b.pathParameters).length,
  )[0];
  if (!fewest) return undefined;
  return {
    routes: matches.filter(({ route }) => route.path === fewest.route.path).map(({ route }) => route),
    pathParameters: fewest.pathParameters,
  };
}

function matchSegments(
  template: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of template.entries()) {
    const segment = segments[index] ?? '';
    const name = parameter.exec(part)?.[1];
    if (name ? segment === '' : part.toLowerCase() !== decode(segment)?.toLowerCase()) return undefined;
    if (name) parameters[name] = segment;
  }
  return parameters;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
