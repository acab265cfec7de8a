import type { Guard } from '../guard.ts';

const twoFactorTest = 'test/functions/auth/two-factor.test.ts';
const secretsTest = 'test/functions/secrets.test.ts';

/** What is kept of secrets, and who is told of them. */
export const secrets: readonly Guard[] = [
  {
    name: 'a ciphertext is of one user or edge',
    file: 'shared/aws/kms.ts',
    edits: [
      [
        "Plaintext: Buffer.from(plaintext, 'utf8'),\n      EncryptionContext: context,",
        "Plaintext: Buffer.from(plaintext, 'utf8'),",
      ],
      ['CiphertextBlob: ciphertext,\n      EncryptionContext: context,', 'CiphertextBlob: ciphertext,'],
    ],
    test: twoFactorTest,
    only: 'of another user',
  },
  {
    name: 'TOTP secrets are stored encrypted',
    file: 'shared/auth/totp-secret.ts',
    edits: [
      [
        "return encrypt('totpSecrets', secret, { userId: id });",
        'return Promise.resolve(Buffer.from(secret));',
      ],
      [
        "return decrypt('totpSecrets', ciphertext, { userId: id });",
        'return Promise.resolve(Buffer.from(ciphertext).toString());',
      ],
    ],
    test: secretsTest,
  },
  {
    name: 'keys are stored hashed',
    file: 'shared/auth/api-key.ts',
    edits: [["return createHash('sha256').update(apiKey).digest('hex');", 'return apiKey;']],
    test: 'test/shared/auth/api-key.test.ts',
    only: 'the hash is',
  },
  {
    name: 'recovery codes are stored hashed',
    file: 'shared/auth/recovery-code.ts',
    edits: [["createHash('sha256').update(code.toLowerCase().replace(/[\\s-]/g, '')).digest('hex')", 'code']],
    test: secretsTest,
  },
  {
    name: 'a response with a secret is not kept for a retry',
    file: 'shared/http/idempotency.ts',
    edits: [["access !== 'public' && !neverStored", "access !== 'public'"]],
    test: 'test/functions/idempotency.test.ts',
    only: 'where the response holds a secret',
  },
  {
    name: 'a field’s name that may be a credential is not repeated',
    file: 'shared/http/validate.ts',
    edits: [
      ["return typeof part === 'number' || plainName.test(String(part));", 'return String(part).length > 0;'],
    ],
    test: 'test/shared/http/validate.test.ts',
  },
  {
    name: 'a quoted value holds no key',
    file: 'shared/http/quoted.ts',
    edits: [["    .replace(/svc_.*/s, 'svc_…')\n", '']],
    test: 'test/shared/purge/canonical-values.test.ts',
  },
  {
    name: 'a quoted value holds no password',
    file: 'shared/http/quoted.ts',
    edits: [["    .replace(/[^/\\\\]+@/, '…@')\n", '']],
    test: 'test/shared/purge/canonical-values.test.ts',
  },
  {
    name: 'a quoted value holds no query',
    file: 'shared/http/quoted.ts',
    edits: [["    .replace(/([?#]).+/s, '$1…');", '']],
    test: 'test/shared/purge/canonical-values.test.ts',
  },
  {
    name: 'a fault of our own is not told',
    file: 'shared/http/response.ts',
    edits: [["new ApiError('internal', messages.internal)", "new ApiError('internal', String(error))"]],
    test: 'test/functions/fallback.test.ts',
    only: 'crashes is 500',
  },
  {
    name: 'an unknown user is not told from a wrong password',
    file: 'shared/auth/login.ts',
    edits: [
      [
        "if (!user || !isRight) throw refuse('passwordWrong');",
        "if (!user) throw refuse('tokenInvalid');\n  if (!isRight) throw refuse('passwordWrong');",
      ],
    ],
    test: 'test/functions/auth/login.test.ts',
    only: 'get the same bytes',
  },
];
