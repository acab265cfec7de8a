import { disableAccount, enableAccount } from '../../../shared/account/account-access.ts';
import { type AccountItem, createAccount, listAccounts } from '../../../shared/account/account-table.ts';
import { exampleIds } from '../../../shared/http/examples.ts';
import { accountFlag, type Command, parseLine, requireFlag } from './command.ts';

export const accountCommands: Readonly<Record<string, Command>> = {
  create: {
    summary: 'Make an account',
    required: { name: 'one line of 1 to 200 characters' },
    example: "--name 'Acme'",
    run: async (flags) => shown(await createAccount(parseLine('name', requireFlag(flags, 'name')))),
  },
  list: {
    summary: 'List all accounts',
    run: async () => (await listAccounts()).map(shown),
  },
  disable: {
    summary: 'End the use of all the account’s keys and users',
    required: { account: accountFlag },
    example: `--account ${exampleIds.account}`,
    run: async (flags) => shown(await disableAccount(requireFlag(flags, 'account'))),
  },
  enable: {
    summary: 'Let the account’s keys and users in again',
    required: { account: accountFlag },
    example: `--account ${exampleIds.account}`,
    run: async (flags) => shown(await enableAccount(requireFlag(flags, 'account'))),
  },
};

function shown({ accountId, name, status }: AccountItem) {
  return { accountId, name, status };
}
