import { accountFlag, type Command } from './command.ts';
import { exportProperties } from './property-export.ts';
import { publishProperties } from './property-publish.ts';

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
  publish: {
    summary: 'Have edges told of properties that an older version made',
    details:
      'Needed once, after an update from a version that did not configure edges. A second time it changes nothing.',
    run: (_, { progress }) => publishProperties(progress),
  },
};
