/**
 * The refusals that any endpoint may give, or the gateway before it, and those that more than one place gives. What
 * one place alone refuses is worded there.
 */
export const messages = {
  requestUnreadable: 'The request cannot be read. Check its headers, query and body.',
  bodyTooLarge: 'The body is larger than 256 KiB. Split it over several requests.',
  bodyTooLargeForGateway: 'The body is too large. Split it over several requests.',
  bodyNotJson: 'Send the body as Content-Type: application/json.',
  bodyEmpty: 'The body is empty. Send a JSON object.',
  bodyNotUtf8: 'The body is not valid UTF-8.',
  bodyMalformed: 'The body is not valid JSON. Send a JSON object.',
  bodyNumberInexact: 'The body holds a number with more digits or range than a double can hold.',
  bodyTooDeep: 'The body is nested too deep. It may hold at most 100 levels of objects and arrays.',
  bodyFieldRepeated: 'The body gives a field twice. Give each field once.',
  bodyNotUnicode: 'The body holds a character that is not valid Unicode text.',
  queryRepeated: 'Each query parameter may be given once.',
  userRequired: 'This acts on a user, and an API key has none. Log in and send the access token.',
  refusedByFirewall: "The request was refused by the operator's firewall.",
  endpointNotFound: 'There is no such endpoint. Check the path.',
  notFound: (thing: string) => `${thing} not found.`,
  methodNotAllowed: (allow: string) => `This endpoint does not take that method. Use ${allow}.`,
  versionConflict: (current: number) =>
    `It has changed meanwhile and is at version ${current}. Read it again.`,
  changedMeanwhile: 'It was changed at the same time. Read it again and repeat the change.',
  ifMatchMalformed: 'If-Match must be the version that you last read, once, like If-Match: "3".',
  keyMalformed: 'Idempotency-Key must be 1 to 255 printable characters, sent once.',
  keyNotTaken: 'This endpoint takes no Idempotency-Key, because its responses are never stored.',
  keyReused: 'This Idempotency-Key was used with another body. Choose a new key.',
  keyInUse: 'A request with this Idempotency-Key is still running. Retry it in a few seconds.',
  hostnamesTaken: (hostnames: readonly string[]) => `Already in use by a property: ${hostnames.join(', ')}.`,
  rulesFull: (maximum: number) => `The property has ${maximum} rules, the most it can. Delete one first.`,
  edgeTokenUnknown: 'The X-Edge-Token is not known, or its edge was removed.',
  logLinesTooMany: 'The body holds more than 50,000 lines. Split it over several requests.',
  logMediaType: 'Send the lines as Content-Type: application/x-ndjson.',
  twoFactorNotEnabled: 'Two-factor authentication is not enabled.',
  twoFactorNotPending: 'Two-factor authentication is not set up, or enabled already. Set it up first.',
  twoFactorEnabled: 'Two-factor authentication is enabled already. Disable it first.',
  quotaUsedUp: "The gateway's own request quota is used up. Retry in a few seconds.",
  hostnameNotUrl: (hostname: string) => `must be a host name, not a URL: send ${hostname}`,
  internal: 'Something went wrong on our side. Quote the X-Request-Id to support.',
  unavailable: 'The service cannot take this request right now. Retry it in a few seconds.',
} as const;

/**
 * Every message of a 401. The list is closed and free of quotes, because the gateway pastes it into its own
 * response; none repeats anything that was sent.
 */
export const authenticationMessages = {
  missing:
    'Authentication is required. Send an API key in X-API-Key, or a token of POST /api/Auth/Login in Authorization: Bearer.',
  both: 'Send either X-API-Key or Authorization, not both.',
  repeated: 'The credential header was sent more than once. Send it once.',
  keyAsBearer: 'API keys do not go in the Authorization header. Send the key in X-API-Key, without Bearer.',
  keyMalformed:
    'The API key is malformed. Send the 32 characters starting with svc_ in X-API-Key, with no word before them.',
  keyUnknown: 'The API key is not known. Check that it was copied whole.',
  keyRevoked: 'The API key has been revoked. Create a new one.',
  schemeUnknown: 'The Authorization header must be of the form Bearer ACCESS_TOKEN.',
  tokenInvalid: 'The access token is not valid. Log in again.',
  tokenRevoked: 'The access token has been ended. Log in again.',
  userDisabled: 'The user is disabled. Ask whoever runs the account.',
  accountDisabled: 'The account is disabled. Ask whoever runs the service.',
  passwordWrong: 'The user name or the password is wrong.',
  currentPasswordWrong: 'The current password is wrong.',
  loginTokenInvalid: 'The TwoFactorToken is unknown, used, expired or out of attempts. Log in again.',
  codeWrong: 'The code is wrong or was used already.',
  totpSuspended: 'Too many wrong codes in a row. Wait a while, or use a recovery code.',
} as const;
