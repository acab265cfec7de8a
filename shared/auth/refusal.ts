import { ApiError } from '../http/api-error.ts';

/**
 * Every message a 401 can carry. The list is closed and free of quotes, because the gateway pastes it into
 * its own answer; none repeats anything that was sent.
 */
export const refusals = {
  missing: 'Authentication is required. Send your API key in the X-API-Key header.',
  both: 'Send either X-API-Key or Authorization, not both.',
  repeated: 'The credential header was sent more than once. Send it once.',
  keyAsBearer: 'API keys do not go in the Authorization header. Send the key in X-API-Key, without Bearer.',
  keyMalformed:
    'The API key is malformed. Send the 32 characters starting with svc_ in X-API-Key, with no word before them.',
  keyUnknown: 'The API key is not known. Check that it was copied whole.',
  keyRevoked: 'The API key has been revoked. Create a new one.',
  schemeUnknown: 'The Authorization header must be of the form Bearer ACCESS_TOKEN.',
  tokenInvalid: 'The access token is not valid. Log in again.',
} as const;

export type Refusal = keyof typeof refusals;

export const refuse = (refusal: Refusal): ApiError => new ApiError('unauthenticated', refusals[refusal]);
