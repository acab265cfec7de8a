import { randomBytes } from 'node:crypto';
import { requireAccount } from '../../../shared/account/account-table.ts';
import { createUser, listUsernames } from '../../../shared/account/account-user-table.ts';
import { removeTwoFactor } from '../../../shared/auth/factor-use.ts';
import { hashPassword, NewPassword } from '../../../shared/auth/password.ts';
import { isEnabled, type User, Username } from '../../../shared/auth/user.ts';
import { changeUser, getUser, revokeTokens, type UserChange } from '../../../shared/auth/user-table.ts';
import { notFound } from '../../../shared/ground/api-error.ts';
import { exampleIds } from '../../../shared/http/examples.ts';
import { accountFlag, type Command, type Flags, parseFlag, requireFlag } from './command.ts';

const usernameFlag = 'a user’s name, as user list shows it; case does not count';

export const userCommands: Readonly<Record<string, Command>> = {
  create: {
    summary: 'Make a user; a random password is shown this once',
    required: { account: accountFlag, username: 'the name to log in with; case does not count' },
    optional: { password: '12 to 256 characters; made at random where none is given' },
    example: `--account ${exampleIds.account} --username anna@example.com`,
    run: create,
  },
  list: {
    summary: 'List an account’s users',
    required: { account: accountFlag },
    example: `--account ${exampleIds.account}`,
    run: list,
  },
  disable: onUser('Revoke a user’s tokens and give out no new one', {
    set: { status: 'disabled' },
    ...revokeTokens,
  }),
  enable: onUser('Let a user log in again', { set: { status: 'active' } }),
  'reset-password': {
    summary: 'Give a user a new random password, revoke all tokens',
    required: { username: usernameFlag },
    example: '--username anna@example.com',
    run: async (flags) => {
      const password = passwordIn({});
      const passwordHash = await hashPassword(password);
      return { ...(await change(flags, { set: { passwordHash }, ...revokeTokens })), password };
    },
  },
  'reset-2fa': onUser('Take a user’s second factor away, revoke all tokens', removeTwoFactor),
};

async function create(flags: Flags) {
  const [username, password] = [usernameIn(flags), passwordIn(flags)];
  const user = await createUser(requireFlag(flags, 'account'), username, await hashPassword(password));
  return { accountId: user.accountId, username, password };
}

function usernameIn(flags: Flags): string {
  return parseFlag('username', requireFlag(flags, 'username'), Username);
}

function passwordIn(flags: Flags): string {
  const { password } = flags;
  if (password === undefined) return randomBytes(18).toString('base64url');
  return parseFlag('password', password, NewPassword);
}

async function list(flags: Flags) {
  const { accountId } = await requireAccount(requireFlag(flags, 'account'));
  const users = await Promise.all((await listUsernames(accountId)).map(getUser));
  return users.flatMap((user) => (user ? [shown(user)] : []));
}

function shown(user: User) {
  return { username: user.username, status: isEnabled(user) ? 'active' : 'disabled' };
}

function onUser(summary: string, userChange: UserChange): Command {
  return {
    summary,
    required: { username: usernameFlag },
    example: '--username anna@example.com',
    run: (flags) => change(flags, userChange),
  };
}

async function change(flags: Flags, userChange: UserChange) {
  const changed = await changeUser(usernameIn(flags), userChange);
  if (!changed) throw notFound('User');
  return shown(changed);
}
