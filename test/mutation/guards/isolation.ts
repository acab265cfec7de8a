import type { Guard } from '../guard.ts';

const accessTest = 'test/functions/ticket/access.test.ts';

/** What keeps one account from another where an account is part of a record’s key: the record is sought by its id alone. */
export const isolation: readonly Guard[] = [
  {
    name: 'a property is of the caller’s account',
    file: 'shared/property/property-table.ts',
    edits: [
      ["{ tables: { properties: ['GetItem'] } }", "{ tables: { properties: ['GetItem', 'Scan'] } }"],
      [
        'await getItem(properties, { accountId, id });',
        '(await scanAll(properties)).find((each) => each.id === id);',
      ],
    ],
    test: 'test/functions/property/create.test.ts',
    only: 'another account',
  },
  {
    name: 'a new rule is of a property of the caller’s account',
    file: 'shared/property/property-table.ts',
    edits: [
      [
        "import { absent, present } from '../aws/expression.ts';",
        "import { absent, anyOf, present } from '../aws/expression.ts';",
      ],
      [
        "checkStep(properties, { accountId, id }, present('id'))",
        "checkStep(properties, { accountId, id }, anyOf(present('id'), absent('id')))",
      ],
    ],
    test: 'test/functions/rule/create.test.ts',
    only: 'another account',
  },
  {
    name: 'a key that is revoked is of the caller’s account',
    file: 'shared/account/account-api-key-table.ts',
    edits: [
      [
        "import { queryAll } from '../aws/query.ts';",
        "import { queryAll } from '../aws/query.ts';\nimport { scanAll } from '../aws/scan.ts';",
      ],
      [
        "tables: { accountApiKeys: ['GetItem', 'UpdateItem'] }",
        "tables: { accountApiKeys: ['GetItem', 'UpdateItem', 'Scan'] }",
      ],
      [
        'await getItem(accountApiKeys, { accountId, id })',
        '(await scanAll(accountApiKeys)).find((each) => each.id === id)',
      ],
    ],
    test: 'test/functions/api-key/api-key.test.ts',
    only: 'another account',
  },
  {
    name: 'a ticket is of the caller’s account',
    file: 'shared/ticket/ticket-table.ts',
    edits: [
      [
        "import { findInSequence, replaceStep } from '../aws/sequence.ts';",
        "import { scanAll } from '../aws/scan.ts';\nimport { replaceStep } from '../aws/sequence.ts';",
      ],
      ["tables: { tickets: ['GetItem'] } } as const", "tables: { tickets: ['GetItem', 'Scan'] } } as const"],
      [
        'await findInSequence(tickets, accountId, id)',
        '(await scanAll(tickets)).find((each) => each.id === id)',
      ],
    ],
    test: accessTest,
  },
];
