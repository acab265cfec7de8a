import type { Guard } from '../guard.ts';

const apiKeys = 'shared/auth/api-key-table.ts';
const credential = 'shared/auth/credential.ts';
const authenticate = 'shared/auth/authenticate.ts';
const authorizerTest = 'test/functions/authorizer.test.ts';
const loginTest = 'test/functions/auth/login.test.ts';

/** Who may call at all. */
export const authentication: readonly Guard[] = [
  {
    name: 'an unknown key is refused',
    file: apiKeys,
    edits: [["allOf(present('hash'), absent", 'allOf(absent']],
    test: authorizerTest,
    only: 'an unknown key',
  },
  {
    name: 'a revoked key is refused',
    file: apiKeys,
    edits: [["absent('revokedAt'), absent('accountDisabledAt')", "absent('accountDisabledAt')"]],
    test: authorizerTest,
    only: 'a revoked key',
  },
  {
    name: 'a key whose use cannot be noted is refused once it is revoked',
    file: apiKeys,
    edits: [['return !revokedAt && !accountDisabledAt;', 'return !accountDisabledAt;']],
    test: authorizerTest,
    only: 'nor takes a revoked one',
  },
  {
    name: 'a key of a disabled account is refused',
    file: apiKeys,
    edits: [["absent('revokedAt'), absent('accountDisabledAt')", "absent('revokedAt')"]],
    test: 'test/functions/api-key/api-key.test.ts',
    only: 'a disabled account',
  },
  {
    name: 'both headers at once are refused',
    file: credential,
    edits: [["if (keys.length > 0 && authorizations.length > 0) throw refuse('both');", '']],
    test: authorizerTest,
    only: 'both headers',
  },
  {
    name: 'a repeated header is refused',
    file: credential,
    edits: [["if (keys.length > 1 || authorizations.length > 1) throw refuse('repeated');", '']],
    test: authorizerTest,
    only: 'a key sent twice',
  },
  {
    name: 'a key sent as Bearer is told where it belongs',
    file: credential,
    edits: [["if (resemblesApiKey(value)) throw refuse('keyAsBearer');", '']],
    test: authorizerTest,
    only: 'a key sent as Bearer',
  },
  {
    name: 'a token is of the stored user',
    file: authenticate,
    edits: [['user?.id !== sub || user.accountId !== accountId', 'user?.accountId !== accountId']],
    test: loginTest,
    only: 'a user with the name of another',
  },
  {
    name: 'a token of a disabled user is refused',
    file: authenticate,
    edits: [["if (user.status !== 'active') throw refuse('userDisabled');", '']],
    test: loginTest,
    only: 'a disabled user',
  },
  {
    name: 'what acts on a user takes no key',
    file: 'shared/http/parse-request.ts',
    edits: [["if (access !== 'user' || caller.scheme === 'bearer') return caller;", 'return caller;']],
    test: loginTest,
    only: 'what acts on a user is 403 with a key',
  },
  {
    name: 'the log token of an edge is compared',
    file: 'shared/edge/authenticate-edge.ts',
    edits: [
      ['stored.length === hash.length && timingSafeEqual(stored, hash)', 'stored.length === hash.length'],
    ],
    test: 'test/functions/statistics/ingest.test.ts',
    only: 'without a token of a registered edge',
  },
];
