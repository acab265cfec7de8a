import { checks } from '../doctor/checks.ts';
import { type Diagnosis, diagnose } from '../doctor/diagnose.ts';
import { Examined } from '../doctor/examined.ts';
import { type Command, type Context, FailedResult, type Flags, Report, UsageError } from './command.ts';

const defaultSeconds = '60';

export const doctor: Command = {
  summary: 'Check on the stack what is assumed of AWS',
  details:
    'Each check is a line: ok, or what is wrong and what to do; then the exit status is 1. It has accounts, a user and a property of its own, which it makes once. It purges one URL that nobody visits, so that no edge is emptied; on CloudFront that is two paths of those that AWS charges.',
  optional: {
    timeout: `seconds that the checks may take together, 1 to 900; ${defaultSeconds} by default. CloudFront edges take minutes`,
  },
  example: '--timeout 600',
  run: examine,
};

async function examine({ timeout = defaultSeconds }: Flags, { stack, localRun, progress }: Context) {
  if (!/^([1-9]|[1-9]\d|[1-8]\d\d|900)$/.test(timeout))
    throw new UsageError('--timeout must be a number from 1 to 900');
  let done = 0;
  const isDone = () => progress(`${++done} of ${checks.length} checks done`);
  const diagnoses = await diagnose(new Examined(stack, localRun, Number(timeout)), isDone);
  const report = new Report(diagnoses, () => diagnoses.map(lineOf).join(''));
  const failed = diagnoses.filter(({ ok }) => !ok);
  if (failed.length === 0) return report;
  throw new FailedResult(report, `Not as assumed: ${failed.map(({ check }) => check).join(', ')}.`);
}

const nameWidth = 'double slash'.length;

function lineOf({ check, ok, detail }: Diagnosis): string {
  return `${ok ? 'ok    ' : 'not ok'}  ${check.padEnd(nameWidth)}  ${detail}\n`;
}
