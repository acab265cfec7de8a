import { ApiError } from '../ground/api-error.ts';

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
  tokenEnded: 'The access token has been ended. Log in again.',
  userDisabled: 'The user is disabled. Ask whoever runs the account.',
  accountDisabled: 'The account is disabled. Ask whoever runs the service.',
  passwordWrong: 'The user name or the password is wrong.',
  currentPasswordWrong: 'The current password is wrong.',
  loginTokenDead: 'The TwoFactorToken is unknown, used, expired or out of attempts. Log in again.',
  codeWrong: 'The code is wrong or was used already.',
  totpSuspended: 'Too many wrong codes in a row. Wait a while, or use a recovery code.',
} as const;

export type Refusal = keyof typeof refusals;

export function refuse(refusal: Refusal): ApiError {
  return new ApiError('unauthenticated', refusals[refusal]);
}
