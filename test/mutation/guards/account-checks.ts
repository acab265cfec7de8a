import type { Guard } from '../guard.ts';

const ruleTable = 'shared/rule/rule-table.ts';
const values = 'shared/purge/canonical-values.ts';
const historyTest = 'test/functions/purge/list.test.ts';
const ruleListTest = 'test/functions/rule/list.test.ts';
const accessTest = 'test/functions/ticket/access.test.ts';

/** What keeps one account from another by a check. */
export const accountChecks: readonly Guard[] = [
  {
    name: 'the rules of a property are of the caller’s account',
    file: ruleTable,
    edits: [
      [
        'Promise.all([allRules(propertyId), getProperty(accountId, propertyId)])',
        'Promise.all([allRules(propertyId)])',
      ],
    ],
    test: ruleListTest,
    only: 'rule/list: no credential',
  },
  {
    name: 'a rule is of the caller’s account',
    file: ruleTable,
    edits: [
      [
        'Promise.all([findRule(propertyId, id), getProperty(accountId, propertyId)])',
        'Promise.all([findRule(propertyId, id)])',
      ],
    ],
    test: ruleListTest,
    only: 'rule/get: no credential',
  },
  {
    name: 'a history of purges is of the caller’s account',
    file: 'functions/purge/list.ts',
    edits: [['await getProperty(caller.accountId, params.propertyId);', '{ id: params.propertyId };']],
    test: historyTest,
    only: 'another account',
  },
  {
    name: 'a purge is of the caller’s account',
    file: 'functions/purge/get.ts',
    edits: [['    getProperty(caller.accountId, propertyId),\n', '    undefined,\n']],
    test: historyTest,
    only: 'another account',
  },
  {
    name: 'the accountId parameter is the caller’s account',
    file: 'shared/ticket/account-query.ts',
    edits: [["if (accountId !== caller.accountId) throw notFound('Account');", '']],
    test: accessTest,
    only: 'another account is 404',
  },
  {
    name: 'a ticket’s property is of the caller’s account',
    file: 'shared/ticket/create-ticket.ts',
    edits: [['if (input.propertyId !== undefined) await requireProperty(accountId, input.propertyId);', '']],
    test: 'test/functions/ticket/create.test.ts',
    only: 'another account',
  },
  {
    name: 'statistics are of the caller’s account',
    file: 'functions/statistics/property.ts',
    edits: [['await getProperty(caller.accountId, params.propertyId);', '{ id: params.propertyId };']],
    test: 'test/functions/statistics/read.test.ts',
    only: 'another account',
  },
  {
    name: 'a purge is of the property’s host names',
    file: values,
    edits: [
      ['if (!url || (url.hostname !== undefined && !hostnames.includes(url.hostname))) {', 'if (!url) {'],
    ],
    test: 'test/shared/purge/canonical-values.test.ts',
  },
  {
    name: 'a purge by host name is of the property’s own',
    file: values,
    edits: [['if (hostname !== undefined && hostnames.includes(hostname))', 'if (hostname !== undefined)']],
    test: 'test/shared/purge/canonical-values.test.ts',
  },
];
