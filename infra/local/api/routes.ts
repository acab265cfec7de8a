import type { Template, TemplateResource } from '../template/template.ts';

/** One method of one resource of the REST API. */
export interface ApiMethod {
  /** As in the template: `/api/property/{propertyId}`, or ending in `{proxy+}`. */
  readonly resourcePath: string;
  readonly segments: readonly string[];
  readonly httpMethod: string;
  readonly functionName: string;
  /** Name of the authorizer's function, where the method has one. */
  readonly authorizerName: string | undefined;
}

export interface MatchedMethod {
  readonly method: ApiMethod;
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

const invocationArn = /functions\/arn:aws:lambda:[^:]*:[^:]*:function:([^/]+)\/invocations$/;

/** Every method of the template's REST API. */
export function templateMethods(template: Template): readonly ApiMethod[] {
  const paths = pathsById(template);
  const authorizers = authorizersById(template);
  return template.ofType('AWS::ApiGateway::Method').map(([, resource]) => {
    const { ResourceId, HttpMethod, Integration } = resource.Properties;
    const { Type, Uri } = template.resolve(Integration) as { Type: string; Uri: string };
    if (Type !== 'AWS_PROXY') throw new Error(`The local run does not know integrations of type ${Type}`);
    const resourcePath = paths.get(template.resolveText(ResourceId)) ?? '/';
    return {
      resourcePath,
      segments: resourcePath === '/' ? [] : resourcePath.split('/').slice(1),
      httpMethod: String(HttpMethod),
      functionName: functionIn(Uri),
      authorizerName: authorizerOf(template, resource, authorizers),
    };
  });
}

/** As the gateway does: the pair of resource and method, the most specific first; case counts. */
export function matchMethod(
  methods: readonly ApiMethod[],
  httpMethod: string,
  path: string,
): MatchedMethod | undefined {
  const segments = path === '/' ? [] : path.split('/').slice(1);
  const [best] = methods
    .filter((method) => method.httpMethod === httpMethod || method.httpMethod === 'ANY')
    .flatMap((method) => {
      const parameters = parametersOf(method.segments, segments);
      return parameters ? [{ method, parameters }] : [];
    })
    .sort((a, b) => (rank(a.method) < rank(b.method) ? -1 : 1));
  if (!best) return undefined;
  const pathParameters = Object.keys(best.parameters).length > 0 ? best.parameters : null;
  return { method: best.method, pathParameters };
}

function pathsById(template: Template): ReadonlyMap<string, string> {
  const resources = new Map(template.ofType('AWS::ApiGateway::Resource'));
  const pathOf = (id: string): string => {
    const resource = resources.get(id);
    if (!resource) return '';
    const parent = template.resolveText(resource.Properties.ParentId);
    return `${pathOf(parent)}/${template.resolveText(resource.Properties.PathPart)}`;
  };
  return new Map([...resources.keys()].map((id) => [id, pathOf(id)]));
}

function authorizersById(template: Template): ReadonlyMap<string, string> {
  return new Map(
    template.ofType('AWS::ApiGateway::Authorizer').map(([id, { Properties }]) => {
      const ttl = Properties.AuthorizerResultTtlInSeconds;
      if (Properties.Type !== 'REQUEST' || ttl !== 0) {
        throw new Error(`The local run knows REQUEST authorizers without a cache only, and ${id} is none`);
      }
      return [id, functionIn(template.resolveText(Properties.AuthorizerUri))];
    }),
  );
}

function functionIn(uri: string): string {
  const name = invocationArn.exec(uri)?.[1];
  if (!name) throw new Error(`The local run does not know the integration ${uri}`);
  return name;
}

function authorizerOf(
  template: Template,
  { Properties }: TemplateResource,
  authorizers: ReadonlyMap<string, string>,
): string | undefined {
  switch (Properties.AuthorizationType) {
    case 'NONE':
      return undefined;
    case 'CUSTOM':
      return authorizers.get(template.resolveText(Properties.AuthorizerId));
    default:
      throw new Error(`The local run does not know authorization of type ${Properties.AuthorizationType}`);
  }
}

function parametersOf(
  segments: readonly string[],
  path: readonly string[],
): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    if (isGreedy(segment)) {
      const rest = path.slice(index).join('/');
      return rest === '' ? undefined : { ...parameters, [segment.slice(1, -2)]: rest };
    }
    const given = path[index];
    if (given === undefined || (isParameter(segment) ? given === '' : given !== segment)) return undefined;
    if (isParameter(segment)) parameters[segment.slice(1, -1)] = given;
  }
  return segments.length === path.length ? parameters : undefined;
}

function isGreedy(segment: string | undefined): boolean {
  return segment?.endsWith('+}') ?? false;
}

function isParameter(segment: string | undefined): boolean {
  return segment?.startsWith('{') ?? false;
}

/** Literal before parameter before greedy, from the left; a named method before ANY. */
function rank({ segments, httpMethod }: ApiMethod): string {
  return (
    segments.map((segment) => (isGreedy(segment) ? '2' : isParameter(segment) ? '1' : '0')).join('') +
    (httpMethod === 'ANY' ? '1' : '0')
  );
}
