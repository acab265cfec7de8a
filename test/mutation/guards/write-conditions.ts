import type { Guard } from '../guard.ts';

const progress = 'shared/purge/purge-progress-table.ts';
const sequence = 'shared/aws/sequence.ts';
const catchUpTest = 'test/functions/catch-up.test.ts';

/** What keeps one write from undoing another. */
export const writeConditions: readonly Guard[] = [
  {
    name: 'If-Match refuses a stale version',
    file: 'shared/http/if-match.ts',
    edits: [['if (ifMatch === undefined || ifMatch === current) return;', 'if (current > 0) return;']],
    test: 'test/functions/ticket/update.test.ts',
    only: 'If-Match',
  },
  {
    name: 'a property is written at the version that was read',
    file: 'shared/property/property-change-table.ts',
    edits: [
      [
        "putStep(properties, { accountId, ...storedProperty(after), claimedAt }, compare('version', '=', version))",
        'putStep(properties, { accountId, ...storedProperty(after), claimedAt })',
      ],
    ],
    test: 'test/functions/property/change.test.ts',
    only: 'writes that met unseen',
  },
  {
    name: 'a rule is written at the version that was read',
    file: 'shared/rule/rule-change-table.ts',
    edits: [["putStep(rules, item, compare('version', '=', version))", 'putStep(rules, item)']],
    test: 'test/functions/rule/change.test.ts',
    only: 'met unseen',
  },
  {
    name: 'a ticket is written at the version that was read',
    file: sequence,
    edits: [["Put: putInput(table, item, compare('version', '=', version))", 'Put: putInput(table, item)']],
    test: 'test/functions/ticket/update.test.ts',
    only: '20 concurrent patches',
  },
  {
    name: 'a ticket’s number is taken once',
    file: sequence,
    edits: [['Put: putInput(table, item, whereAbsent)', 'Put: putInput(table, item)']],
    test: 'test/functions/ticket/create.test.ts',
    only: 'concurrent tickets have the numbers',
  },
  {
    name: 'a second try adds no second message',
    file: sequence,
    edits: [['Put: putInput(table, pointer, whereAbsent)', 'Put: putInput(table, pointer)']],
    test: 'test/functions/ticket/message.test.ts',
    only: 'a second try of the same work',
  },
  {
    name: 'no two rules come to one priority at the end',
    file: 'shared/rule/rule-order-table.ts',
    edits: [['...(place ? [isUnchanged(place)] : [])', '']],
    test: 'test/functions/rule/change.test.ts',
    only: 'no two rules come to the same place',
  },
  {
    name: 'first progress is written once',
    file: progress,
    edits: [["allOf<'id' | 'progress'>(present('id'), absent('progress'))", "present('id')"]],
    test: catchUpTest,
    only: 'first progress',
  },
  {
    name: 'progress is written on what was read',
    file: progress,
    edits: [["    compare('revision', '=', revision),\n", '']],
    test: catchUpTest,
    only: 'progress that two write',
  },
];
