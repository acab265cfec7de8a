import type { Guard } from '../guard.ts';

const jsonText = 'shared/http/json-text.ts';
const logRequest = 'shared/statistics/log-request.ts';
const propertyCreateTest = 'test/functions/property/create.test.ts';
const ruleCreateTest = 'test/functions/rule/create.test.ts';
const purgeCreateTest = 'test/functions/purge/create.test.ts';
const ingestTest = 'test/functions/statistics/ingest.test.ts';

/** How much is taken. */
export const limits: readonly Guard[] = [
  {
    name: 'a body has 256 KiB at most',
    file: jsonText,
    edits: [['if (bytes.length > maximumBodyBytes) {', 'if (bytes.length > 2 ** 30) {']],
    test: purgeCreateTest,
    only: '300 KiB',
  },
  {
    name: 'a field is given once',
    file: jsonText,
    edits: [['if (written === countFields(value)) return;', 'if (written >= 0) return;']],
    test: 'test/functions/hostile.test.ts',
    only: 'a field given twice',
  },
  {
    name: 'a number is what the client wrote',
    file: jsonText,
    edits: [['if (literals.every(survivesAsDouble)) return;', 'if (literals) return;']],
    test: 'test/shared/http/json-text.test.ts',
  },
  {
    name: 'a purge has 1,000 values at most',
    file: 'shared/purge/values.ts',
    edits: [
      [
        '        .max(maximumValues, `must hold at most ${maximumValues} values; split them over several requests`),\n',
        '',
      ],
    ],
    test: purgeCreateTest,
    only: 'is refused, the fault named',
  },
  {
    name: 'a page has 100 records at most',
    file: 'shared/http/page.ts',
    edits: [['.max(highest, `must be at most ${highest}`)', '']],
    test: propertyCreateTest,
    only: 'the query',
  },
  {
    name: 'a property has 40 host names at most',
    file: 'shared/property/property-input.ts',
    edits: [['  .max(maximumHostnames, `must hold at most ${maximumHostnames} host names`)\n', '']],
    test: propertyCreateTest,
    only: 'is 400, the field named',
  },
  {
    name: 'a property has 100 rules at most',
    file: 'shared/rule/rule-order-table.ts',
    edits: [['difference > 0 ?', 'difference > 1 ?']],
    test: ruleCreateTest,
    only: 'concurrent creates',
  },
  {
    name: 'a rule has 8 KB at most',
    file: 'shared/rule/rule.ts',
    edits: [['if (bytes <= maximumBytes) return text;', 'if (bytes > 0) return text;']],
    test: ruleCreateTest,
    only: 'a rule of 8 KB',
  },
  {
    name: 'a batch of log lines has 50,000 at most',
    file: logRequest,
    edits: [['if (number > maximumLines)', 'if (number > 2 ** 30)']],
    test: ingestTest,
    only: 'lines are counted before they are read',
  },
  {
    name: 'a line of a log has 16 KiB at most',
    file: logRequest,
    edits: [
      [
        'if (end - start > maximumLineBytes) throw tooLarge(`Line ${number} is longer than 16 KiB. Shorten it.`);',
        '',
      ],
    ],
    test: ingestTest,
    only: 'a line is as long as its bytes',
  },
  {
    name: 'a batch of log lines unpacks to 32 MiB at most',
    file: logRequest,
    edits: [['maxOutputLength: maximumUnpackedBytes, ', '']],
    test: ingestTest,
    only: 'sizes end where they are said to end',
  },
  {
    name: 'a body is nested no deeper than 100 levels',
    file: 'shared/http/json-text.ts',
    edits: [["if (depth > maximumDepth) throw new ApiError('invalid', messages.bodyTooDeep);", '']],
    test: 'test/shared/http/json-text.test.ts',
    only: 'one of 101 is not',
  },
  {
    name: 'an edge’s response has an end',
    file: 'shared/edge/http-client.ts',
    edits: [
      [
        "if (this.body.length > longestResponseBytes) controller.abort(new Error('a response without end'));",
        '',
      ],
    ],
    test: 'test/shared/edge/immediate-drivers.test.ts',
    only: 'a response without end',
  },
  {
    name: 'connections to edges leave files for the rest',
    file: 'shared/edge/connection-slots.ts',
    edits: [['if (taken < mostConnections) {', 'if (taken < Infinity) {']],
    test: 'test/shared/edge/http-client.test.ts',
  },
];
