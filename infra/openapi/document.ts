import type { Endpoint, Method, RawBody } from '../../shared/http/endpoint.ts';
import { type DescribedEndpoint, describeEndpoints } from './described-endpoint.ts';
import { envelopeSchemas } from './envelope-schemas.ts';
import { namedExamples } from './examples.ts';
import { headers } from './headers.ts';
import { info } from './info.ts';
import type { OpenApiDocument, Operation, Tag } from './openapi.ts';
import { parametersOf } from './parameters.ts';
import { responsesOf } from './responses.ts';
import { tagOf } from './tags.ts';

/**
 * The service's description, made from nothing but its endpoints' declarations.
 * @param endpoints by the file that declares each
 */
export function openApiDocument(endpoints: Readonly<Record<string, Endpoint>>): OpenApiDocument {
  const { described, components } = describeEndpoints(endpoints);
  return {
    openapi: '3.0.4',
    info,
    servers: [{ url: '/', description: 'The host that serves this description.' }],
    tags: tagsOf(Object.keys(endpoints)),
    paths: pathsOf(described),
    components: {
      schemas: { ...envelopeSchemas, ...components },
      headers,
      // The specification keeps the scheme of API keys out of the description.
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'The `Token` of a login with `POST /api/Auth/Login`, without the word Bearer before it. It is valid for 24 hours, unless something ends it sooner.',
        },
      },
    },
  };
}

function tagsOf(files: readonly string[]): readonly Tag[] {
  return [...new Map(files.map(tagOf).map((tag) => [tag.name, tag])).values()];
}

function pathsOf(all: readonly DescribedEndpoint[]): OpenApiDocument['paths'] {
  return Object.fromEntries(
    [...Map.groupBy(all, ({ endpoint }) => endpoint.path)].map(([path, onPath]) => [
      path,
      Object.fromEntries(
        onPath.map((described) => [
          described.endpoint.method.toLowerCase() as Lowercase<Method>,
          operationOf(described),
        ]),
      ),
    ]),
  );
}

function operationOf(described: DescribedEndpoint): Operation {
  const { file, endpoint } = described;
  return {
    operationId: camelCase(file),
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [tagOf(file).name],
    security: endpoint.access === 'public' ? [] : [{ bearer: [] }],
    parameters: parametersOf(described),
    ...requestBody(described),
    responses: responsesOf(described),
  };
}

function camelCase(file: string): string {
  return file.replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase());
}

function requestBody({ endpoint, body }: DescribedEndpoint): Pick<Operation, 'requestBody'> {
  if (endpoint.rawBody) return { requestBody: rawRequestBody(endpoint.rawBody) };
  if (!endpoint.body || !body) return {};
  const json = { schema: body, examples: namedExamples(endpoint.body) };
  return { requestBody: { required: true, content: { 'application/json': json } } };
}

function rawRequestBody({ mediaType, description, example }: RawBody): Operation['requestBody'] {
  return {
    description,
    required: true,
    content: { [mediaType]: { schema: { type: 'string' }, examples: { lines: { value: example } } } },
  };
}
