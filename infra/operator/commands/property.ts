import { accountFlag, type Command } from './command.ts';
import { exportProperties } from './property-export.ts';

export const propertyCommands: Readonly<Record<string, Command>> = {
  export: {
    summary: 'Print properties with rules, of all accounts or one',
    details: 'The rules are in the order of evaluation. For programs take --json.',
    optional: { account: accountFlag },
    example: '--json',
    columns: {
      accountId: 'ACCOUNT',
      id: 'PROPERTY',
      name: 'NAME',
      hostnames: 'HOSTNAMES',
      rules: 'RULES',
    },
    run: ({ account }, { progress }) => exportProperties(account, progress),
  },
};
