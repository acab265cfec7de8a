import { type ErrorCode, statusOf } from '../../shared/ground/api-error.ts';
import { authenticationMessages, messages } from '../../shared/ground/messages.ts';
import { namesOf } from '../../shared/ground/names.ts';
import type { Endpoint } from '../../shared/http/endpoint.ts';
import { isIdempotent } from '../../shared/http/idempotency.ts';
import type { DescribedEndpoint } from './described-endpoint.ts';
import { pathParameterNames, thingOf } from './parameters.ts';

/** A refusal as the description shows it. */
export interface Failure {
  readonly code: ErrorCode;
  readonly description: string;
  /** What `message` may say. */
  readonly message: string;
}

const keyConflict = 'The Idempotency-Key was used with another body, or its first request is still running.';
const versionConflict = 'The record is not at the version in If-Match, or was changed at the same time.';

type Implied = Readonly<Partial<Record<ErrorCode, string | false>>>;

/** Every refusal of an endpoint: what it declares itself, and what follows from its declaration. */
export function failuresOf(described: DescribedEndpoint): readonly Failure[] {
  const implied = impliedFailures(described);
  const examples = exampleMessages(described.endpoint);
  return namesOf(statusOf).flatMap((code) => {
    const own = described.endpoint.failures?.[code];
    const texts = [own?.description, implied[code]].filter(Boolean);
    if (texts.length === 0) return [];
    return [{ code, description: texts.join(' '), message: own?.message ?? examples[code] }];
  });
}

/** What follows from a declaration, whatever its handler does. */
function impliedFailures({ endpoint, takesVersion }: DescribedEndpoint): Implied {
  const { method, path, access, query, body } = endpoint;
  return {
    invalid: (method !== 'GET' || !!query) && 'The request is not valid; message names every field at fault.',
    unauthenticated:
      access !== 'public' && 'No credential, or one that is not valid. `POST /api/Auth/Login` gives a token.',
    forbidden: access === 'user' && 'The credential is not a user’s.',
    notFound: path.includes('{') && 'There is no such thing, or it is another account’s.',
    conflict: isIdempotent(endpoint) ? keyConflict : takesVersion && versionConflict,
    tooLarge: !!body && 'The body is larger than 256 KiB.',
    unsupportedMediaType: !!body && 'The body’s Content-Type is not JSON.',
    internal: 'Something went wrong in the service.',
    unavailable: 'The service cannot take the request now. Retry-After says when to try again.',
  };
}

/** What `message` may say, by code. */
function exampleMessages(endpoint: Endpoint): Readonly<Record<ErrorCode, string>> {
  return {
    invalid: 'Invalid request: name must not be empty; colour is not a field here.',
    unauthenticated: authenticationMessages.tokenInvalid,
    forbidden: messages.userRequired,
    notFound: notFoundMessage(endpoint.path),
    methodNotAllowed: messages.methodNotAllowed('GET, OPTIONS'),
    conflict: conflictMessage(endpoint),
    tooLarge: messages.bodyTooLarge,
    unsupportedMediaType: messages.bodyNotJson,
    internal: messages.internal,
    unavailable: messages.unavailable,
  };
}

/** What is not found is what the last parameter of the path names. */
function notFoundMessage(path: string): string {
  const thing = thingOf(pathParameterNames(path).at(-1) ?? 'accountId');
  return messages.notFound(`${thing.charAt(0).toUpperCase()}${thing.slice(1)}`);
}

function conflictMessage(endpoint: Endpoint): string {
  return isIdempotent(endpoint) ? messages.keyReused : messages.versionConflict(4);
}
