import { createApiKey, listAllApiKeys, revokeApiKey } from '../../../shared/account/account-api-key-table.ts';
import { requireAccount } from '../../../shared/account/account-table.ts';
import { type Command, parseLine, requireFlag } from './command.ts';

export const keyCommands: Readonly<Record<string, Command>> = {
  create: {
    summary: 'Make an API key; it is shown this once',
    required: ['account', 'name'],
    switches: ['no-symbols'],
    run: async (flags, _, switches) => {
      const name = parseLine('name', requireFlag(flags, 'name'));
      return createApiKey(requireFlag(flags, 'account'), name, { symbols: !switches.has('no-symbols') });
    },
  },
  list: {
    summary: 'List an account’s API keys',
    required: ['account'],
    run: async (flags) => listAllApiKeys((await requireAccount(requireFlag(flags, 'account'))).accountId),
  },
  revoke: {
    summary: 'End an API key for good',
    required: ['account', 'id'],
    run: (flags) => revokeApiKey(requireFlag(flags, 'account'), requireFlag(flags, 'id')),
  },
};
