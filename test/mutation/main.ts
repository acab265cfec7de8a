import { readFileSync } from 'node:fs';
import { compileErrors } from './compile.ts';
import { type Guard, withoutGuard } from './guard.ts';
import { guards } from './guards.ts';
import { runTests } from './run-tests.ts';
import { ScratchCopy } from './scratch-copy.ts';

const lanes = 2;

/** Part of the names of the guards that are taken out; all of them by default. */
const [part = ''] = process.argv.slice(2);
const chosen = guards.filter(({ name }) => name.includes(part));
const startedAt = performance.now();
const copies = Array.from({ length: lanes }, () => new ScratchCopy());
process.once('exit', () => {
  for (const copy of copies) copy.remove();
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

interface Verdict {
  readonly guard: Guard;
  /** Name of the first test that failed; undefined where none did. */
  readonly caughtBy: string | undefined;
  /** Why nothing can be said. */
  readonly notRun: string | undefined;
}

process.exitCode = await main().finally(() => Promise.all(copies.map((copy) => copy.end())));

async function main(): Promise<number> {
  const [first] = copies;
  if (!first || chosen.length === 0) return fail(`No guard’s name holds "${part}".`);
  for (const guard of chosen) withoutGuard(guard, readFileSync(guard.file, 'utf8'));
  const errors = compileErrors(first, chosen);
  if (errors)
    return fail(`Without the guards the sources do not compile, which no test need say:\n${errors}`);
  const untouched = await untouchedFaults(first);
  if (untouched) return fail(untouched);
  const waiting = [...chosen];
  const verdicts = await Promise.all(copies.map((copy) => workOff(copy, waiting)));
  return summarise(verdicts.flat());
}

function fail(reason: string): number {
  console.error(reason);
  return 1;
}

/** With every guard in its place all the tests must pass, or their failure says nothing. */
async function untouchedFaults(copy: ScratchCopy): Promise<string | undefined> {
  const patterns = chosen.map(({ test, only = '' }) => ({ test, only }));
  const files = [...new Set(patterns.map(({ test }) => test))];
  const only = patterns.every((each) => each.only !== '')
    ? patterns.map((each) => `(?:${each.only})`).join('|')
    : undefined;
  const { passed, failed, output } = await runTests(copy, {
    files,
    only,
    isBailing: false,
    workers: 2 * lanes,
  });
  if (failed.length > 0) return `Tests fail with every guard in its place:\n${failed.join('\n')}`;
  if (passed.length === 0) return `No test was run:\n${output}`;
  const unmatched = chosen.filter((guard) => !passed.some((name) => new RegExp(guard.only ?? '').test(name)));
  if (unmatched.length === 0) return undefined;
  return `No test was run of those that are to fail without:\n${unmatched.map(({ name }) => name).join('\n')}`;
}

async function workOff(copy: ScratchCopy, waiting: Guard[]): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let guard = waiting.shift(); guard; guard = waiting.shift()) {
    const from = performance.now();
    const verdict = await tryWithout(copy, guard);
    verdicts.push(verdict);
    console.log(`${secondsSince(from).padStart(5)} s  ${guard.name}\n         ${described(verdict)}`);
  }
  return verdicts;
}

async function tryWithout(copy: ScratchCopy, guard: Guard): Promise<Verdict> {
  copy.takeOut(guard);
  const { test, only } = guard;
  const { passed, failed, output } = await runTests(copy, {
    files: [test],
    only,
    isBailing: true,
    workers: 1,
  });
  copy.putBack(guard);
  const isNotRun = passed.length === 0 && failed.length === 0;
  return { guard, caughtBy: failed[0], notRun: isNotRun ? output : undefined };
}

function described({ guard: { test }, caughtBy, notRun }: Verdict): string {
  if (caughtBy) return `caught by ${test} › ${caughtBy}`;
  return notRun === undefined ? `SURVIVED ${test}` : `NOT RUN ${test}\n${notRun}`;
}

function summarise(verdicts: readonly Verdict[]): number {
  const caught = verdicts.filter(({ caughtBy }) => caughtBy !== undefined);
  const survivors = verdicts.filter(({ caughtBy, notRun }) => caughtBy === undefined && notRun === undefined);
  const notRun = verdicts.filter((verdict) => verdict.notRun !== undefined);
  console.log(
    `\nRemoved ${verdicts.length}, caught ${caught.length}, survived ${survivors.length}, not run ${notRun.length}, in ${secondsSince(startedAt)} s.`,
  );
  for (const { guard } of survivors) console.log(`Survived: ${guard.name}`);
  for (const { guard } of notRun) console.log(`Not run: ${guard.name}`);
  return caught.length === verdicts.length ? 0 : 1;
}

function secondsSince(from: number): string {
  return ((performance.now() - from) / 1000).toFixed(1);
}
