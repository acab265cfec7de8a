import { createApiKey, listAllApiKeys, revokeApiKey } from '../../../shared/account/account-api-key-table.ts';
import { requireAccount } from '../../../shared/account/account-table.ts';
import { exampleIds } from '../../../shared/http/examples.ts';
import { accountFlag, type Command, parseLine, requireFlag } from './command.ts';

export const keyCommands: Readonly<Record<string, Command>> = {
  create: {
    summary: 'Make an API key; it is shown this once',
    required: { account: accountFlag, name: 'one line of 1 to 200 characters' },
    switches: { 'no-symbols': 'draw letters and digits only, for clients that strip the rest' },
    example: `--account ${exampleIds.account} --name 'Web site'`,
    run: async (flags, { switches }) => {
      const name = parseLine('name', requireFlag(flags, 'name'));
      return createApiKey(requireFlag(flags, 'account'), name, { symbols: !switches.has('no-symbols') });
    },
  },
  list: {
    summary: 'List an account’s API keys',
    required: { account: accountFlag },
    example: `--account ${exampleIds.account}`,
    columns: {
      id: 'ID',
      name: 'NAME',
      prefix: 'PREFIX',
      createdAt: 'AGE',
      lastUsedAt: 'USED',
      revokedAt: 'REVOKED',
    },
    run: async (flags) => listAllApiKeys((await requireAccount(requireFlag(flags, 'account'))).accountId),
  },
  revoke: {
    summary: 'End an API key for good',
    required: { account: accountFlag, id: 'id of a key, as key list shows it' },
    example: `--account ${exampleIds.account} --id ${exampleIds.apiKey}`,
    run: (flags) => revokeApiKey(requireFlag(flags, 'account'), requireFlag(flags, 'id')),
  },
};
