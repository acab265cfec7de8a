import * as z from 'zod';
import { changesRecord, type Endpoint } from '../../shared/http/endpoint.ts';
import type { Schema } from './openapi.ts';
import { type DescribedSchemas, describeSchemas, mergeComponents } from './schemas.ts';

/** An endpoint with its schemas as OpenAPI has them. */
export interface DescribedEndpoint {
  /** Its file below `functions`: `purge/create`. */
  readonly file: string;
  readonly endpoint: Endpoint;
  readonly query?: Schema | undefined;
  readonly body?: Schema | undefined;
  readonly data: Schema;
  /** The response is one record with a version, so that it carries an ETag. */
  readonly hasVersion: boolean;
  /** It changes such a record, so that it takes If-Match. */
  readonly takesVersion: boolean;
}

type Endpoints = Readonly<Record<string, Endpoint>>;

/** Describes each endpoint's schemas, and the named schemas that they share. */
export function describeEndpoints(endpoints: Endpoints): {
  readonly described: readonly DescribedEndpoint[];
  readonly components: DescribedSchemas['components'];
} {
  const queries = describeSchemas(
    'query',
    collect(endpoints, ({ query }) => query),
  );
  const bodies = describeSchemas(
    'body',
    collect(endpoints, ({ body }) => body),
  );
  const data = describeSchemas(
    'data',
    collect(endpoints, (endpoint) => endpoint.data),
  );
  const versionedPaths = new Set(
    Object.values(endpoints).flatMap((e) => (carriesVersion(e) ? [e.path] : [])),
  );
  const described = Object.entries(endpoints).map(([file, endpoint]) => ({
    file,
    endpoint,
    query: queries.schemas[file],
    body: bodies.schemas[file],
    data: data.schemas[file] ?? {},
    hasVersion: carriesVersion(endpoint),
    takesVersion: changesRecord[endpoint.method] && versionedPaths.has(endpoint.path),
  }));
  return { described, components: mergeComponents(queries.components, bodies.components, data.components) };
}

function collect(
  endpoints: Endpoints,
  part: (endpoint: Endpoint) => z.ZodType | undefined,
): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(
    Object.entries(endpoints).flatMap(([file, endpoint]) => {
      const schema = part(endpoint);
      return schema ? [[file, schema]] : [];
    }),
  );
}

function carriesVersion({ data, list }: Endpoint): boolean {
  return !list && data instanceof z.ZodObject && 'version' in data.shape;
}
