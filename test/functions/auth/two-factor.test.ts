import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLoginToken } from '../../../shared/auth/login-token-table.ts';
import type { User } from '../../../shared/auth/user.ts';
import { changeUser, getUser } from '../../../shared/auth/user-table.ts';
import type { ApiResponse } from '../../support/api-client.ts';
import {
  codeOf,
  type Enrolled,
  enable,
  enrol,
  interimToken,
  login,
  makeUser,
  password,
  tokenOf,
  verify,
  withToken,
} from '../../support/identity.ts';
import { installed } from '../../support/installed.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';

/** As many attempts as one interim token has. */
const contenders = 5;
const uses = volume(10, 60);
const guessCount = volume(60, 1_000);

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterEach(() => {
  run.aws.fault = () => undefined;
});
afterAll(() => run.end());

function enrolled(): Promise<Enrolled> {
  return enrol(run.api, run.accountId);
}

async function storedUser(username: string): Promise<User> {
  const user = await getUser(username);
  if (!user) throw new Error(`There is no user ${username}`);
  return user;
}

/** As a login with the right password gives it, without the password's check. */
async function interim(username: string): Promise<string> {
  return createLoginToken(await storedUser(username), new Date());
}

function times<Result>(count: number, make: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)));
}

function winners(responses: readonly ApiResponse[]): number {
  expect(responses.every(({ status }) => status === 200 || status === 401)).toBe(true);
  return responses.filter(({ status }) => status === 200).length;
}

test('the way from setup to a login with a code', async () => {
  const username = await makeUser(run.accountId);
  const user = withToken(run.api, await tokenOf(run.api, username));
  const { data: setUp } = await user.post('/api/Auth/2fa/setup');
  expect(setUp).toEqual({
    secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
    otpauthUri: expect.stringContaining(`secret=${setUp.secret}`),
    qrCode: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
  });
  expect((await login(run.api, username)).data).toHaveProperty('Token');
  const { status, data: enabled } = await enable(user, setUp.secret);
  expect([status, enabled.recoveryCodes.length, new Set(enabled.recoveryCodes).size]).toEqual([200, 10, 10]);
  expect((await user.get('/api/account')).status).toBe(401);
  const fresh = withToken(run.api, enabled.Token);
  expect((await fresh.get('/api/account')).data.credential).toEqual({
    scheme: 'bearer',
    username,
    twoFactorEnabled: true,
  });
  const half = await login(run.api, username);
  expect(half.data).toEqual({ RequiresTwoFactor: true, TwoFactorToken: expect.any(String) });
  const full = await verify(run.api, half.data.TwoFactorToken, codeOf(setUp.secret));
  expect(full.data).toEqual({ Token: expect.any(String), Message: expect.any(String) });
  expect((await withToken(run.api, full.data.Token).get('/api/account')).status).toBe(200);
});

test.skipIf(!installed('oathtool'))('a code that oathtool made logs in', async () => {
  const { username, secret } = await enrolled();
  const { stdout } = await promisify(execFile)('oathtool', ['--totp', '--base32', secret]);
  expect((await verify(run.api, await interimToken(run.api, username), stdout.trim())).status).toBe(200);
});

/** As an app shows it. */
function spaced(code: string): string {
  return `${code.slice(0, 3)} ${code.slice(3)}`;
}

test('a code is taken with a space inside, as apps show it, wherever one is asked for', async () => {
  const username = await makeUser(run.accountId);
  const user = withToken(run.api, await tokenOf(run.api, username));
  const { secret } = (await user.post('/api/Auth/2fa/setup')).data;
  const enabled = await user.post('/api/Auth/2fa/enable', { code: spaced(codeOf(secret)) });
  expect(enabled.status).toBe(200);
  const verified = await verify(run.api, await interim(username), spaced(codeOf(secret, 1)));
  expect(verified.status).toBe(200);
  const other = await enrolled();
  const enrolledUser = withToken(run.api, other.token);
  const renewed = await enrolledUser.post('/api/Auth/2fa/recovery-codes', {
    code: spaced(codeOf(other.secret)),
  });
  expect(renewed.status).toBe(200);
  const disabled = await enrolledUser.post('/api/Auth/2fa/disable', {
    password,
    code: spaced(codeOf(other.secret, 1)),
  });
  expect(disabled.status).toBe(200);
});

function fullWidth(digits: string): string {
  return digits.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
}

test('anything but six digits enables nothing and is 400, saying what a code is; elsewhere it is 401', async () => {
  const username = await makeUser(run.accountId);
  const user = withToken(run.api, await tokenOf(run.api, username));
  const { secret } = (await user.post('/api/Auth/2fa/setup')).data;
  const code = codeOf(secret);
  const recovery = 'k3v9p-7xq2m-c8r4t-n6wbh-y5zde';
  const wrong = [
    code.slice(1),
    `${code}0`,
    fullWidth(code),
    `+${code}`,
    `${code}\u0661`,
    '🔢',
    ' ',
    recovery,
  ];
  for (const odd of wrong) {
    const response = await user.post('/api/Auth/2fa/enable', { code: odd });
    expect([odd, response.status, response.envelope.message]).toEqual([
      odd,
      400,
      expect.stringContaining('code must be the six digits'),
    ]);
  }
  const enabled = await user.post('/api/Auth/2fa/enable', { code });
  expect(enabled.status).toBe(200);
  const asked = withToken(run.api, enabled.data.Token);
  const stored = await storedUser(username);
  for (const odd of wrong) {
    const interim = await createLoginToken(stored, new Date());
    const responses = await Promise.all([
      verify(run.api, interim, odd),
      asked.post('/api/Auth/2fa/recovery-codes', { code: odd }),
      asked.post('/api/Auth/2fa/disable', { password, code: odd }),
    ]);
    expect([odd, ...responses.map(({ status }) => status)]).toEqual([odd, 401, 401, 401]);
  }
});

/** Lets none go through before so many have come. */
function gatherTransactions(count: number): void {
  const all = Promise.withResolvers<undefined>();
  let come = 0;
  run.aws.fault = (operation) => {
    if (operation !== 'dynamodb:TransactWriteItems') return undefined;
    come += 1;
    if (come === count) all.resolve(undefined);
    return all.promise;
  };
}

test(`of ${uses} concurrent uses of one recovery code one wins`, async () => {
  const { username, recoveryCodes, token } = await enrolled();
  const user = await storedUser(username);
  const tokens = await times(uses, () => createLoginToken(user, new Date()));
  const [code = ''] = recoveryCodes;
  gatherTransactions(contenders);
  expect(winners(await times(uses, (index) => verify(run.api, tokens[index] ?? '', code)))).toBe(1);
  expect(await getUser(username)).toMatchObject({ recoveryCodes: expect.objectContaining({ size: 9 }) });
  expect((await withToken(run.api, token).get('/api/account')).status).toBe(200);
});

test(`of ${uses} concurrent uses of one TOTP step over as many interim tokens one wins`, async () => {
  const { username, secret } = await enrolled();
  const user = await storedUser(username);
  const tokens = await times(uses, () => createLoginToken(user, new Date()));
  const code = codeOf(secret);
  gatherTransactions(contenders);
  expect(winners(await times(uses, (index) => verify(run.api, tokens[index] ?? '', code)))).toBe(1);
});

test(`of ${uses} concurrent uses of one interim token one wins`, async () => {
  const { username, recoveryCodes } = await enrolled();
  const token = await interim(username);
  const codes = recoveryCodes.slice(0, 4);
  gatherTransactions(contenders);
  const responses = await times(uses, (index) => verify(run.api, token, codes[index % codes.length] ?? ''));
  expect(winners(responses)).toBe(1);
  expect((await getUser(username))?.recoveryCodes?.size).toBe(9);
});

test(`of ${uses} concurrent uses of one enrolment code one wins, and the code logs nobody in afterwards`, async () => {
  const username = await makeUser(run.accountId);
  const user = withToken(run.api, await tokenOf(run.api, username));
  const { secret } = (await user.post('/api/Auth/2fa/setup')).data;
  const code = codeOf(secret);
  const responses = await times(uses, () => user.post('/api/Auth/2fa/enable', { code }));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await verify(run.api, await interimToken(run.api, username), code)).status).toBe(401);
});

test('after 5 wrong codes the interim token is no longer valid, for the right one neither, and it is 401', async () => {
  const { username, recoveryCodes } = await enrolled();
  const token = await interim(username);
  for (let index = 0; index < 5; index += 1) {
    const wrong = await verify(run.api, token, 'wrong-recovery-code');
    expect([wrong.status, wrong.envelope.message]).toEqual([401, 'The code is wrong or was used already.']);
  }
  const right = await verify(run.api, token, recoveryCodes[0] ?? '');
  expect([right.status, right.envelope.message]).toEqual([
    401,
    'The TwoFactorToken is unknown, used, expired or out of attempts. Log in again.',
  ]);
  expect((await verify(run.api, await interim(username), recoveryCodes[0] ?? '')).status).toBe(200);
});

test(`${guessCount} guesses over fresh interim tokens never succeed, none is 429, and a recovery code still works`, async () => {
  const { username, secret, recoveryCodes } = await enrolled();
  const user = await storedUser(username);
  const right = new Set([codeOf(secret, -1), codeOf(secret), codeOf(secret, 1), codeOf(secret, 2)]);
  const guesses = Array.from({ length: 1_000_000 }, (_, number) => String(number).padStart(6, '0'))
    .filter((code) => !right.has(code))
    .slice(0, guessCount);
  const statuses = new Set<number>();
  for (let first = 0; first < guesses.length; first += 40) {
    const responses = await Promise.all(
      guesses.slice(first, first + 40).map(async (code) => {
        const token = await createLoginToken(user, new Date());
        return verify(run.api, token, code);
      }),
    );
    for (const { status } of responses) statuses.add(status);
  }
  expect([...statuses]).toEqual([401]);
  const suspended = await verify(run.api, await interim(username), codeOf(secret));
  expect([suspended.status, suspended.envelope.message]).toEqual([
    401,
    'Too many wrong codes in a row. Wait a while, or use a recovery code.',
  ]);
  const recovered = await verify(run.api, await interim(username), recoveryCodes[0] ?? '');
  expect(recovered.status).toBe(200);
});

test('the suspension ends, and grows with each further wrong code', async () => {
  const { username, secret } = await enrolled();
  const retryAt = async () => (await getUser(username))?.totpRetryAt ?? 0;
  const waitOver = () => changeUser(username, { set: { totpRetryAt: 0 } });
  const guess = async () => verify(run.api, await interim(username), '000000');
  const delays: number[] = [];
  for (let index = 0; index < 8; index += 1) {
    await guess();
    delays.push(Math.round(((await retryAt()) - Date.now()) / 10_000));
    await waitOver();
  }
  expect(delays.slice(4)).toEqual([3, 6, 12, 24]);
  expect((await verify(run.api, await interim(username), codeOf(secret))).status).toBe(200);
  expect((await getUser(username))?.totpFailures).toBe(0);
});

test('an interim token ends after five minutes', async () => {
  const { username, recoveryCodes } = await enrolled();
  const user = await storedUser(username);
  const madeAgo = (seconds: number) => createLoginToken(user, new Date(Date.now() - seconds * 1_000));
  const ended = await verify(run.api, await madeAgo(301), recoveryCodes[0] ?? '');
  const last = await verify(run.api, await madeAgo(290), recoveryCodes[0] ?? '');
  expect([ended.status, last.status]).toEqual([401, 200]);
});

test('a TOTP secret of another user opens nothing, in whatever item it stands', async () => {
  const [one, other] = [await enrolled(), await enrolled()];
  const { totpSecret = new Uint8Array() } = await storedUser(other.username);
  await changeUser(one.username, { set: { totpSecret } });
  const { status } = await verify(run.api, await interim(one.username), codeOf(other.secret));
  expect([totpSecret.length > 0, status]).toEqual([true, 500]);
});

test('an interim token ends with the password that it was given for', async () => {
  const { username, recoveryCodes, token } = await enrolled();
  const interim = await interimToken(run.api, username);
  const changed = await withToken(run.api, token).post('/api/Auth/password', {
    currentPassword: password,
    newPassword: 'another long password',
  });
  expect(changed.status).toBe(200);
  expect((await verify(run.api, interim, recoveryCodes[0] ?? '')).status).toBe(401);
});

test('new recovery codes end the old ones', async () => {
  const { username, secret, recoveryCodes, token } = await enrolled();
  const { status, data } = await withToken(run.api, token).post('/api/Auth/2fa/recovery-codes', {
    code: codeOf(secret),
  });
  expect([status, data.recoveryCodes.length]).toEqual([200, 10]);
  const old = await verify(run.api, await interim(username), recoveryCodes[0] ?? '');
  const fresh = await verify(run.api, await interim(username), data.recoveryCodes[0].toUpperCase());
  expect([old.status, fresh.status]).toEqual([401, 200]);
});

test('disabling takes password and code, ends tokens, and logins need no code any more', async () => {
  const { username, recoveryCodes, token } = await enrolled();
  const user = withToken(run.api, token);
  const [code = '', other = ''] = recoveryCodes;
  const wrong = await user.post('/api/Auth/2fa/disable', { password: 'not the password', code });
  expect(wrong.status).toBe(401);
  const { status, data } = await user.post('/api/Auth/2fa/disable', { password, code: other });
  expect(status).toBe(200);
  expect((await user.get('/api/account')).status).toBe(401);
  expect((await withToken(run.api, data.Token).get('/api/account')).data.credential.twoFactorEnabled).toBe(
    false,
  );
  expect((await login(run.api, username)).data).toHaveProperty('Token');
});

test('what does not fit the state is 409', async () => {
  const { token, secret } = await enrolled();
  const user = withToken(run.api, token);
  const code = codeOf(secret);
  const plain = withToken(run.api, await tokenOf(run.api, await makeUser(run.accountId)));
  const enabled = 'Two-factor authentication is enabled already. Disable it first.';
  const notSetUp = 'Two-factor authentication is not set up, or enabled already. Set it up first.';
  const notEnabled = 'Two-factor authentication is not enabled.';
  for (const [{ status, envelope }, message] of [
    [await user.post('/api/Auth/2fa/setup'), enabled],
    [await user.post('/api/Auth/2fa/enable', { code }), notSetUp],
    [await plain.post('/api/Auth/2fa/disable', { password, code: '000000' }), notEnabled],
    [await plain.post('/api/Auth/2fa/recovery-codes', { code: '000000' }), notEnabled],
    [await plain.post('/api/Auth/2fa/enable', { code: '000000' }), notSetUp],
  ] as const) {
    expect([status, envelope.message]).toEqual([409, message]);
  }
});
