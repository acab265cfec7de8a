import { authenticationMessages } from '../../../shared/ground/messages.ts';
import { ask, requireStatus } from './ask.ts';
import type { Check } from './check.ts';
import { disabledUser } from './own-accounts.ts';

export const login: Check = {
  name: 'login',
  run: async ({ addresses, signal }) => {
    const [address] = await addresses();
    const { username, password } = await disabledUser();
    const response = await ask(`${address}/api/Auth/Login`, { body: { username, password }, signal });
    requireStatus(response, 401);
    const { message } = response.envelope;
    if (message === authenticationMessages.passwordWrong)
      throw new Error(
        'The login’s argon2 finds the right password wrong. Unless another doctor runs at the same time, nobody can log in: the functions need nodejs24.x.',
      );
    if (message !== authenticationMessages.accountDisabled)
      throw new Error(`The login of a disabled account’s user is refused with "${message}". Deploy again.`);
    return `argon2 found the password of ${username} right, and its disabled account was refused.`;
  },
};
