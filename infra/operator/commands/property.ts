import type { Command } from './command.ts';
import { exportProperties } from './property-export.ts';

export const propertyCommands: Readonly<Record<string, Command>> = {
  export: {
    summary: 'Print all properties, or an account’s, with their rules in the order of evaluation',
    optional: ['account'],
    run: ({ account }) => exportProperties(account),
  },
};
