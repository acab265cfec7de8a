import { headerValues, type MultiValueHeaders } from '../http/headers.ts';
import { isApiKey, resemblesApiKey } from './api-key.ts';
import { refuse } from './refusal.ts';

/** The one credential a request carries, well-formed but not yet checked. */
type Credential = { readonly apiKey: string } | { readonly accessToken: string };

const bearer = /^Bearer +(\S+)$/i;

/** @throws ApiError `unauthenticated`, each fault with its own message */
export function readCredential(headers: MultiValueHeaders | null): Credential {
  const keys = headerValues(headers, 'x-api-key');
  const authorizations = headerValues(headers, 'authorization');
  if (keys.length > 0 && authorizations.length > 0) throw refuse('both');
  if (keys.length > 1 || authorizations.length > 1) throw refuse('repeated');
  const [key] = keys;
  if (key !== undefined) return parseKey(key);
  const [authorization] = authorizations;
  if (authorization !== undefined) return parseAuthorization(authorization);
  throw refuse('missing');
}

function parseKey(value: string): Credential {
  if (!isApiKey(value)) throw refuse('keyMalformed');
  return { apiKey: value };
}

function parseAuthorization(value: string): Credential {
  const accessToken = bearer.exec(value)?.[1];
  if (resemblesApiKey(value)) throw refuse('keyAsBearer');
  if (!accessToken) throw refuse('schemeUnknown');
  return { accessToken };
}
