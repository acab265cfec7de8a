import type { Guard } from '../guard.ts';

const conditionPath = 'shared/rule/condition-path.ts';
const conditionPathTest = 'test/shared/rule/condition-path.test.ts';
const compiledRule = 'shared/rule/compiled-rule.ts';
const compileTest = 'test/shared/edge-config/compile.test.ts';

/** What a customer's rule can be got around by, and what it must not reach. */
export const rules: readonly Guard[] = [
  {
    name: 'no rule reads a path with dot segments',
    file: conditionPath,
    edits: [['if (dotSegment.test(comparablePath(written))) return undefined;', '']],
    test: conditionPathTest,
  },
  {
    name: 'no rule reads a path with dot segments behind escaped slashes',
    file: conditionPath,
    edits: [['(?:\\/|%2F|%5C)\\.{1,2}(?=\\/|%2F|%5C|%23|$)', '\\/\\.{1,2}(?=\\/|%23|$)']],
    test: conditionPathTest,
  },
  {
    name: 'no rule reads a path with a backslash',
    file: conditionPath,
    edits: [[" || written.includes('\\\\')", '']],
    test: conditionPathTest,
  },
  {
    name: 'a rule sees escaped letters decoded',
    file: conditionPath,
    edits: [['unreserved.test(character) ? character : hex.toUpperCase()', 'hex.toUpperCase()']],
    test: conditionPathTest,
  },
  {
    name: 'a rule sees several slashes as one',
    file: conditionPath,
    edits: [["\n    .replace(/\\/{2,}/g, '/')", '']],
    test: conditionPathTest,
  },
  {
    name: 'a rule sets no header that edges use among themselves',
    file: 'shared/rule/header-name.ts',
    edits: [['internal.test(read) || ', '']],
    test: 'test/functions/rule/create.test.ts',
    only: 'is 400, the field named',
  },
  {
    name: 'a rule sets no reserved header by another spelling',
    file: 'shared/rule/header-name.ts',
    edits: [[".replaceAll('_', '-')", '']],
    test: 'test/functions/rule/create.test.ts',
    only: 'is 400, the field named',
  },
  {
    name: 'a rule from before sets no header that edges use among themselves',
    file: compiledRule,
    edits: [['actions: actions.filter(isForCustomers)', 'actions']],
    test: compileTest,
    only: 'from before',
  },
  {
    name: 'a disabled rule reaches no edge',
    file: compiledRule,
    edits: [['    .filter(({ enabled }) => enabled)\n', '    .slice()\n']],
    test: compileTest,
    only: 'a document holds the property',
  },
];
