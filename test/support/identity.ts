import { generateSync } from 'otplib';
import { createUser } from '../../shared/account/account-user-table.ts';
import { hashPassword } from '../../shared/auth/password.ts';
import type { ApiClient, ApiResponse, Sent } from './api-client.ts';

export const password = 'correct horse battery staple';

/** One for all: hashing is expensive on purpose. */
let passwordHash: Promise<string> | undefined;

let users = 0;

/** A user of the account with the password above. */
export async function makeUser(accountId: string): Promise<string> {
  const username = `user-${++users}@example.com`;
  passwordHash ??= hashPassword(password);
  await createUser(accountId, username, await passwordHash);
  return username;
}

/** Calls the API with an access token. */
export function withToken(api: ApiClient, token: string) {
  return {
    get: (path: string): Promise<ApiResponse> =>
      api.send(path, { headers: [['Authorization', `Bearer ${token}`]] }),
    post: (path: string, body?: Sent['body']): Promise<ApiResponse> =>
      api.send(path, {
        method: 'POST',
        headers: [['Authorization', `Bearer ${token}`]],
        ...(body !== undefined && { body }),
      }),
  };
}

export function login(api: ApiClient, username: string, given = password): Promise<ApiResponse> {
  return api.send('/api/Auth/Login', { method: 'POST', body: { username, password: given } });
}

export async function tokenOf(api: ApiClient, username: string, given = password): Promise<string> {
  return (await login(api, username, given)).data.Token;
}

export function verify(api: ApiClient, twoFactorToken: string, code: string): Promise<ApiResponse> {
  return api.send('/api/Auth/2fa/verify', { method: 'POST', body: { twoFactorToken, code } });
}

/** The code of a secret, so many steps from now. */
export function codeOf(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 });
}

export interface Enrolled {
  readonly username: string;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  readonly token: string;
}

/** A user with a second factor, whose enrolment used the step before the present one. */
export async function enrol(api: ApiClient, accountId: string): Promise<Enrolled> {
  const username = await makeUser(accountId);
  const user = withToken(api, await tokenOf(api, username));
  const { secret } = (await user.post('/api/Auth/2fa/setup')).data;
  const { data } = await enable(user, secret);
  return { username, secret, recoveryCodes: data.recoveryCodes, token: data.Token };
}

/** Enables a second factor with the code of the step before the present one. */
export async function enable(user: ReturnType<typeof withToken>, secret: string): Promise<ApiResponse> {
  const send = () => user.post('/api/Auth/2fa/enable', { code: codeOf(secret, -1) });
  const first = await send();
  // A step may have ended on the way.
  return first.status === 200 ? first : send();
}

/** An interim token of a login with the right password. */
export async function interimToken(api: ApiClient, username: string): Promise<string> {
  return (await login(api, username)).data.TwoFactorToken;
}
