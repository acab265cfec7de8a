import { messages } from './messages.ts';

/** The only table from what went wrong to what HTTP says of it. */
export const statusOf = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  conflict: 409,
  tooLarge: 413,
  unsupportedMediaType: 415,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

/** The one error that rules throw; its message is shown to the client as it is. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    options: ErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'ApiError';
    this.code = code;
    this.headers = headers;
  }
}

/** The same for what is another account's as for what is nowhere, so that neither can be told from the other. */
export function notFound(thing: string): ApiError {
  return new ApiError('notFound', messages.notFound(thing));
}

/** @param cause what is logged; the client is only told to come again */
export function unavailable(cause: unknown): ApiError {
  return new ApiError('unavailable', messages.unavailable, { 'Retry-After': '5' }, { cause });
}
