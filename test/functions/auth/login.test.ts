import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '../../../functions/endpoints.ts';
import { hashPassword } from '../../../shared/auth/password.ts';
import { changeUser, getUser, revokeTokens } from '../../../shared/auth/user-table.ts';
import {
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

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

test('a login without second factor gives exactly Token and Message, and the token works everywhere', async () => {
  const username = await makeUser(run.accountId);
  const { status, envelope } = await login(run.api, username.toUpperCase());
  expect([status, envelope.succeeded, envelope.message]).toEqual([200, true, '']);
  const { Token } = envelope.data as { Token: string };
  expect(envelope.data).toEqual({
    Token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    Message: expect.any(String),
  });
  const user = withToken(run.api, Token);
  expect((await user.get('/api/account')).data.credential).toEqual({
    scheme: 'bearer',
    username,
    twoFactorEnabled: false,
  });
  expect((await user.get('/API/property')).status).toBe(200);
  const purge = await user.post(`/api/property/${run.propertyId}/purge`, { type: 'all' });
  expect(purge.status).toBe(200);
  const read = await user.get(`/api/property/${run.propertyId}/purge/${purge.data.purgeId}`);
  expect(read.data.requestedBy).toEqual({ scheme: 'bearer', username, twoFactorEnabled: false });
});

function hasPyJwt(): boolean {
  return installed('/usr/bin/python3', '-c', 'import jwt');
}

test.skipIf(!hasPyJwt())('an independent library reads the token, with exp - iat = 86400', async () => {
  const username = await makeUser(run.accountId);
  const script =
    'import jwt,sys,json;print(json.dumps(jwt.decode(sys.argv[1],options={"verify_signature":False})))';
  const { stdout } = await promisify(execFile)('/usr/bin/python3', [
    '-c',
    script,
    await tokenOf(run.api, username),
  ]);
  const claims = JSON.parse(stdout);
  expect(claims.exp - claims.iat).toBe(86_400);
  expect(claims).toMatchObject({ accountId: run.accountId, username });
});

test('an unknown user, a wrong password and a wrong name get the same bytes', async () => {
  const username = await makeUser(run.accountId);
  const responses = await Promise.all([
    login(run.api, username, 'a wrong password'),
    login(run.api, 'nobody@example.com', password),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([401, 401]);
  expect(responses[1]?.text).toBe(responses[0]?.text);
});

test.each([
  [{ username: 'x' }, 'password'],
  [{ password: 'x' }, 'username'],
  [{ username: 'x', password: 1 }, 'password must be a string'],
  [{ username: 'x', password: 'y', remember: true }, 'remember is not a field'],
  [{ username: 'a\u0000b', password: 'y' }, 'username must not hold control characters'],
  [{ username: 'x'.repeat(201), password: 'y' }, 'username must be at most 200 characters long'],
  [{ username: '\ufdfa'.repeat(63), password: 'y' }, 'username must be at most 200 characters long'],
  [{ username: '\u0130'.repeat(101), password: 'y' }, 'username must be at most 200 characters long'],
  ['nonsense', 'not valid JSON'],
])('the login %j is 400', async (body, fault) => {
  const response = await run.api.send('/api/auth/login', { method: 'POST', body });
  expect([response.status, response.envelope.message]).toEqual([400, expect.stringContaining(fault)]);
});

test('a hash of other parameters is replaced at the next login', async () => {
  const username = await makeUser(run.accountId);
  const weak = '$argon2id$v=19$m=8192,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$';
  const { argon2Sync } = await import('node:crypto');
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce: Buffer.alloc(16),
    memory: 8_192,
    passes: 1,
    parallelism: 1,
    tagLength: 32,
  });
  await changeUser(username, { set: { passwordHash: weak + tag.toString('base64').replace(/=+$/, '') } });
  expect((await login(run.api, username)).status).toBe(200);
  expect((await getUser(username))?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$/);
  expect((await login(run.api, username)).status).toBe(200);
});

const userEndpoints = Object.values(endpoints).filter(({ access }) => access === 'user');

test('what acts on a user is 403 with a key, saying so', async () => {
  expect(userEndpoints.length).toBeGreaterThanOrEqual(6);
  for (const { path } of userEndpoints) {
    for (const spelling of [path, path.toUpperCase().replace('/API', '/api')]) {
      const response = await run.api.post(spelling, '{"not":"checked"}');
      expect([path, response.status, response.envelope.message]).toEqual([
        path,
        403,
        expect.stringContaining('API key'),
      ]);
    }
  }
});

describe('an interim token', () => {
  test('is refused as Bearer on every route', async () => {
    const { username } = await enrol(run.api, run.accountId);
    const interim = await interimToken(run.api, username);
    for (const { method, path, access } of Object.values(endpoints)) {
      if (access === 'public') continue;
      const response = await run.api.send(path.replace(/\{\w+\}/g, run.propertyId), {
        method,
        headers: [['Authorization', `Bearer ${interim}`]],
      });
      expect([path, response.status]).toEqual([path, 401]);
    }
  });

  test('cannot be replaced by an access token', async () => {
    const { token, recoveryCodes } = await enrol(run.api, run.accountId);
    expect((await verify(run.api, token.slice(0, 200), recoveryCodes[0] ?? '')).status).toBe(401);
    expect((await verify(run.api, token, recoveryCodes[0] ?? '')).status).toBeGreaterThanOrEqual(400);
  });
});

describe('a password change', () => {
  test('takes the current one, ends all tokens and responds with a fresh one', async () => {
    const username = await makeUser(run.accountId);
    const token = await tokenOf(run.api, username);
    const user = withToken(run.api, token);
    const newPassword = 'a new long password';
    const wrong = await user.post('/api/Auth/password', { currentPassword: 'wrong', newPassword });
    expect([wrong.status, wrong.envelope.message]).toEqual([401, 'The current password is wrong.']);
    const { status, data } = await user.post('/api/Auth/password', {
      currentPassword: password,
      newPassword,
    });
    expect(status).toBe(200);
    expect((await user.get('/api/account')).envelope.message).toBe(
      'The access token has been ended. Log in again.',
    );
    expect((await withToken(run.api, data.Token).get('/api/account')).status).toBe(200);
    expect((await login(run.api, username)).status).toBe(401);
    expect((await login(run.api, username, newPassword)).status).toBe(200);
  });

  test.each(['short', 'x'.repeat(257)])('refuses %s', async (newPassword) => {
    const user = withToken(run.api, await tokenOf(run.api, await makeUser(run.accountId)));
    const response = await user.post('/api/Auth/password', { currentPassword: password, newPassword });
    expect([response.status, response.envelope.message]).toEqual([
      400,
      expect.stringContaining('newPassword'),
    ]);
  });
});

test('a logout ends all of the user’s tokens, and nobody else’s', async () => {
  const username = await makeUser(run.accountId);
  const [one, two] = [await tokenOf(run.api, username), await tokenOf(run.api, username)];
  const other = await tokenOf(run.api, await makeUser(run.accountId));
  expect((await withToken(run.api, one).post('/api/Auth/logout')).status).toBe(200);
  const statuses = await Promise.all(
    [one, two, other].map((token) => withToken(run.api, token).get('/api/account')),
  );
  expect(statuses.map(({ status }) => status)).toEqual([401, 401, 200]);
});

test('a disabled user’s tokens and logins end', async () => {
  const username = await makeUser(run.accountId);
  const token = await tokenOf(run.api, username);
  await changeUser(username, { set: { status: 'disabled' }, ...revokeTokens });
  const refused = await withToken(run.api, token).get('/api/account');
  expect([refused.status, refused.envelope.message]).toEqual([
    401,
    'The user is disabled. Ask whoever runs the account.',
  ]);
  expect((await login(run.api, username)).status).toBe(401);
  expect((await login(run.api, username, 'wrong password')).envelope.message).not.toContain('disabled');
});

test('a user with the name of another is not that user', async () => {
  const username = await makeUser(run.accountId);
  const token = await tokenOf(run.api, username);
  await changeUser(username, { set: { id: 'somebody else', passwordHash: await hashPassword(password) } });
  expect((await withToken(run.api, token).get('/api/account')).status).toBe(401);
});
