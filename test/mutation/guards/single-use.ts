import type { Guard } from '../guard.ts';

const factorUse = 'shared/auth/factor-use.ts';
const loginTokens = 'shared/auth/login-token-table.ts';
const twoFactorTest = 'test/functions/auth/two-factor.test.ts';
const idempotency = 'shared/http/idempotency.ts';
const idempotencyTest = 'test/functions/idempotency.test.ts';

/** What may be used once. */
export const singleUse: readonly Guard[] = [
  {
    name: 'a recovery code is used once',
    file: factorUse,
    edits: [["condition: holds('recoveryCodes', hash)", "condition: present('recoveryCodes')"]],
    test: twoFactorTest,
    only: 'concurrent uses of one recovery code',
  },
  {
    name: 'a TOTP step is used once',
    file: factorUse,
    edits: [["anyOf(absent('totpStep'), compare('totpStep', '<', step))", "present('username')"]],
    test: twoFactorTest,
    only: 'concurrent uses of one TOTP step',
  },
  {
    name: 'wrong TOTP codes in a row suspend it',
    file: factorUse,
    edits: [['totpRetryAt > now.getTime() || tries === 0', 'tries === 0']],
    test: twoFactorTest,
    only: 'guesses over fresh interim tokens',
  },
  {
    name: 'an interim token is used once',
    file: loginTokens,
    edits: [["{ hash: hashOf(token) }, present('username'))", '{ hash: hashOf(token) })']],
    test: twoFactorTest,
    only: 'concurrent uses of one interim token',
  },
  {
    name: 'an interim token takes five attempts',
    file: loginTokens,
    edits: [["    compare('attempts', '<', maximumAttempts),\n", '']],
    test: twoFactorTest,
    only: 'after 5 wrong codes',
  },
  {
    name: 'an interim token ends after five minutes',
    file: loginTokens,
    edits: [["    compare('expiresAt', '>', secondsOf(now)),\n", '']],
    test: twoFactorTest,
    only: 'an interim token ends after five minutes',
  },
  {
    name: 'an interim token ends with the password that it was given for',
    file: 'shared/auth/login.ts',
    edits: [['!user || user.tokenVersion !== attempt.tokenVersion', '!user']],
    test: twoFactorTest,
    only: 'an interim token ends with the password',
  },
  {
    name: 'an Idempotency-Key is claimed once',
    file: 'shared/http/idempotency-table.ts',
    edits: [["    anyOf(absent('key'), compare('expiresAt', '<=', nowSeconds)),\n", '']],
    test: idempotencyTest,
    only: 'of 20 at once with one key',
  },
  {
    name: 'an Idempotency-Key is for one body',
    file: idempotency,
    edits: [["if (first.bodyHash !== use.bodyHash) throw new ApiError('conflict', messages.keyReused);", '']],
    test: idempotencyTest,
    only: 'another body is 409',
  },
  {
    name: 'an Idempotency-Key is of one account',
    file: 'shared/http/idempotency-use.ts',
    edits: [['`${accountId}#${', '`${']],
    test: idempotencyTest,
    only: 'another body is 409, another account',
  },
  {
    name: 'a host name is claimed once',
    file: 'shared/property/hostname-table.ts',
    edits: [["putStep(hostnames, item, absent('hostname'))", 'putStep(hostnames, item)']],
    test: 'test/functions/property/create.test.ts',
    only: 'concurrent creates of one hostname',
  },
  {
    name: 'a batch of an edge’s log counts once',
    file: 'shared/statistics/log-batch-table.ts',
    edits: [
      [
        '[createStep(logBatches, note), ...increments.flatMap(rollupSteps)]',
        'increments.flatMap(rollupSteps)',
      ],
    ],
    test: 'test/functions/statistics/ingest.test.ts',
    only: 'a batch that is sent twice counts once',
  },
];
