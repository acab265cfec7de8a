import { type AccountItem, createAccount, listAccounts } from '../../../shared/account/account-table.ts';
import { type Command, requireFlag } from '../command.ts';
import { parseLine } from '../line.ts';

const shown = ({ accountId, name, status }: AccountItem) => ({ accountId, name, status });

export const accountCommands: Readonly<Record<string, Command>> = {
  create: {
    summary: 'Make an account',
    required: ['name'],
    run: async (flags) => shown(await createAccount(parseLine('name', requireFlag(flags, 'name')))),
  },
  list: {
    summary: 'List all accounts',
    run: async () => (await listAccounts()).map(shown),
  },
};
