import type * as z from 'zod';
import type { ErrorCode } from '../ground/api-error.ts';
import type { BearerCaller, Caller } from '../ground/caller.ts';
import type { Touches } from '../ground/resources.ts';
import type { MultiValueHeaders } from './headers.ts';
import type { Page } from './page.ts';

/** PATCH is a merge patch. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Whether it changes what is there already, and so heeds If-Match. */
export const changesRecord = {
  GET: false,
  POST: false,
  PATCH: true,
  DELETE: true,
} as const satisfies Readonly<Record<Method, boolean>>;

/** Who may call: `account` takes a key or a token, `user` a token only, `public` anybody. */
export type Access = 'account' | 'user' | 'public';

/** A body that is no JSON object. */
export interface RawBody {
  readonly mediaType: string;
  readonly description: string;
  readonly example: string;
}

/** A header that the handler reads itself. */
export interface OwnHeader {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
}

/** A refusal of an endpoint’s own. */
export interface OwnFailure {
  readonly description: string;
  /** One that the response may carry. */
  readonly message: string;
}

/** One endpoint, said once: routes, grants, validation and description are all derived from it. */
export interface Endpoint {
  readonly method: Method;
  /** The documented spelling, parameters in braces: `/api/property/{propertyId}`. */
  readonly path: `/api/${string}`;
  readonly access: Access;
  readonly summary: string;
  /** What a client's author must know beyond the summary. */
  readonly description: string;
  /** What it refuses of its own; stands before what its declaration implies. */
  readonly failures?: Readonly<Partial<Record<ErrorCode, OwnFailure>>>;
  readonly query?: z.ZodType;
  /** Query parameters that say only how to respond, and so are no part of what an Idempotency-Key is used for. */
  readonly unkeyedQuery?: readonly string[];
  readonly body?: z.ZodType;
  /** In place of `body`: the handler reads the bytes itself, and knows a retry by itself. */
  readonly rawBody?: RawBody;
  readonly headers?: readonly OwnHeader[];
  /** Shape of the envelope's `data`, or of each item where `list` is true. */
  readonly data: z.ZodType;
  readonly list?: true;
  readonly created?: true;
  /** The response is not stored for a retry: it holds a secret, or it ends the credential that a retry would bring. */
  readonly neverStored?: true;
  readonly touches: Touches;
}

type ParameterNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** What a request does, and the id of what it makes: the same for every retry with one Idempotency-Key. */
export interface Operation {
  readonly id: string;
  readonly startedAt: Date;
}

/** A raw body as it was sent, with all headers. */
export interface RawRequest {
  readonly bytes: Buffer;
  readonly headers: MultiValueHeaders;
}

interface CallerOf {
  readonly account: Caller;
  readonly user: BearerCaller;
  readonly public: undefined;
}

/** What a handler is given: everything parsed, nothing left to check but the rules. */
export interface ApiRequest<E extends Endpoint> {
  readonly caller: CallerOf[E['access']];
  readonly params: Readonly<Record<ParameterNames<E['path']>, string>>;
  readonly query: Parsed<E['query']>;
  readonly body: Parsed<E['body']>;
  /** All of them, where the endpoint declares headers of its own. */
  readonly headers: E extends { headers: readonly OwnHeader[] } ? MultiValueHeaders : undefined;
  readonly raw: E extends { rawBody: RawBody } ? RawRequest : undefined;
  /** The version in If-Match; undefined where none was sent, or the endpoint is not a PATCH or DELETE. */
  readonly ifMatch: number | undefined;
  readonly operation: Operation;
}

export type ResponseData<E extends Endpoint> = E extends { list: true }
  ? Page<z.input<E['data']>>
  : z.input<E['data']>;

export function declareEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint;
}
