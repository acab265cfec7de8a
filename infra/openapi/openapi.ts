import type { Method } from '../../shared/http/endpoint.ts';

/** The part of OpenAPI 3.0 that the description uses. Source: https://spec.openapis.org/oas/v3.0.4.html */

/** A schema, or a reference to a named one. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Header {
  readonly description: string;
  readonly schema: Schema;
}

export interface Example {
  readonly value: unknown;
}

interface MediaType {
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, Example>>;
}

/** By media type. */
export type Content = Readonly<Record<string, MediaType>>;

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly description?: string;
    readonly required: true;
    readonly content: Content;
  };
  /** By status. */
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface Tag {
  readonly name: string;
  readonly description: string;
}

export interface OpenApiDocument {
  readonly openapi: '3.0.4';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Lowercase<Method>, Operation>>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}
