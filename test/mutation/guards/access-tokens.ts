import type { Guard } from '../guard.ts';

const file = 'shared/auth/access-token.ts';
const authenticate = 'shared/auth/authenticate.ts';
const test = 'test/functions/auth/access-token.test.ts';

/** Which access tokens are ours, and still valid. Where two checks say the same, both are taken out. */
export const accessTokens: readonly Guard[] = [
  {
    name: 'a token is signed by HS256',
    file,
    edits: [
      ['alg: z.literal(algorithm)', 'alg: z.string()'],
      ['      algorithms: [algorithm],\n', ''],
    ],
    test,
    only: 'HS512 by the right key',
  },
  {
    name: 'a token names a key in use',
    file: 'shared/auth/signing-keys.ts',
    edits: [['key?.id === id', 'key !== undefined']],
    test,
    only: 'a foreign kid',
  },
  {
    name: 'a token is of our type',
    file,
    edits: [
      ['typ: z.literal(type)', 'typ: z.string()'],
      ['      typ: type,\n', ''],
    ],
    test,
    only: 'another typ',
  },
  {
    name: 'a token is of our issuer',
    file,
    edits: [
      ['iss: z.literal(issuer)', 'iss: z.string()'],
      ['      issuer,\n', ''],
    ],
    test,
    only: 'another issuer',
  },
  {
    name: 'a token is for our audience',
    file,
    edits: [
      ['aud: z.literal(audience)', 'aud: z.string()'],
      ['      audience,\n', ''],
    ],
    test,
    only: 'another audience',
  },
  {
    name: 'a token ends',
    file,
    edits: [['clockTolerance: 0', 'clockTolerance: 86_400']],
    test,
    only: 'expired by a second',
  },
  {
    name: 'a token says when it ends',
    file,
    edits: [['exp: z.int()', 'exp: z.int().optional()']],
    test,
    only: 'no expiry',
  },
  {
    name: 'a token is not of the future',
    file,
    edits: [
      ['claims && claims.iat - clockSkewSeconds <= now.getTime() / 1000 ? claims : undefined', 'claims'],
    ],
    test,
    only: 'issued in the future',
  },
  {
    name: 'a token has one spelling',
    file,
    edits: [['if (!isCanonical(token)) return undefined;', '']],
    test,
    only: 'non-canonical base64url',
  },
  {
    name: 'a token is of the present generation',
    file: authenticate,
    edits: [["if (user.tokenVersion !== tokenVersion) throw refuse('tokenRevoked');", '']],
    test,
    only: 'another token version',
  },
  {
    name: 'a token is of the stored account',
    file: authenticate,
    edits: [['user?.id !== sub || user.accountId !== accountId', 'user?.id !== sub']],
    test,
    only: 'another account',
  },
  {
    name: 'a change of password begins a new generation',
    file: 'functions/auth/password.ts',
    edits: [['await hashPassword(newPassword) }, ...revokeTokens }', 'await hashPassword(newPassword) } }']],
    test: 'test/functions/auth/login.test.ts',
    only: 'takes the current one, ends all tokens',
  },
  {
    name: 'a logout begins a new generation',
    file: 'functions/auth/logout.ts',
    edits: [['await changeUser(user.username, revokeTokens);', '']],
    test: 'test/functions/auth/login.test.ts',
    only: 'a logout ends',
  },
];
