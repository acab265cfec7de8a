import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markdownTable } from '../cost/markdown-table.ts';
import { columns, countCalls, type Subject, subjects } from '../support/endpoint-calls.ts';
import { MeasuredEnvironment } from '../support/measured-environment.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';

const file = join(import.meta.dirname, 'endpoint-calls.md');
const lastTime = existsSync(file) ? readFileSync(file, 'utf8').split('\n').map(cellsOf) : [];

const leastTries = 3;
/** A machine that is busy makes a function wait more often, and its processor slower. */
const mostTries = 8;
/** What takes so much more of a processor than last time, or so much less, has changed. */
const changed = 1.6;

/** The simplest endpoint, by whose CPU that of the others is told. */
const simplest = 'account-get';
const simplestSubject = subjectOf(simplest);

/** By function, microseconds of CPU of its last event. */
const cpu = new Map<string, number>();
let run: TestRun;

beforeAll(async () => {
  const note = (functionName: string, microseconds: number) => void cpu.set(functionName, microseconds);
  run = await startTestRun({ makeEnvironment: (source, log) => new MeasuredEnvironment(source, log, note) });
  process.env.ALLOW_PRIVATE_ORIGINS = 'true';
  await cpuOfSimplest();
});
afterAll(() => run.end());

function cellsOf(line: string): readonly string[] {
  return line.slice(2, -2).split(' | ');
}

function subjectOf(name: string): Subject {
  const found = subjects.find(({ title }) => title === name);
  if (!found) throw new Error(`there is no endpoint ${name}`);
  return found;
}

function cpuOf(functionName: string): number {
  return cpu.get(`CdnManagement-${functionName}`) ?? Number.NaN;
}

async function cpuOfSimplest(): Promise<number> {
  await countCalls(run, simplestSubject);
  return cpuOf(simplest);
}

/** The least that some tries have shown; as it was last time, where that is near. */
async function rowOf(subject: Subject): Promise<readonly string[]> {
  const last = lastTime.find(([title]) => title === subject.title) ?? [];
  // The first makes the function, its connections and what it remembers.
  await countCalls(run, subject);
  let counted: readonly string[] = [];
  let [least, leastOfSimplest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const row = await countCalls(run, subject);
    if (tries === 1 || isLess(row, counted) || isAs(row, last)) counted = row;
    least = Math.min(least, cpuOf(subject.functionName));
    leastOfSimplest = Math.min(leastOfSimplest, await cpuOfSimplest());
    if (tries >= leastTries && isAs(counted, last) && isNear(least / leastOfSimplest, last)) return last;
  }
  const ratio = subject.title === simplest ? 1 : least / leastOfSimplest;
  return [subject.title, ...counted, ratio.toFixed(1)];
}

/** Fewer calls one after the other. */
function isLess([calls]: readonly string[], [others]: readonly string[]): boolean {
  return Number(calls) < Number(others);
}

function isAs(counted: readonly string[], last: readonly string[]): boolean {
  return counted.join() === last.slice(1, -1).join();
}

function isNear(ratio: number, last: readonly string[]): boolean {
  const known = Number(last.at(-1));
  return ratio < known * changed && ratio > known / changed;
}

test('each endpoint asks as much of AWS and of a processor as when it was last looked at', async () => {
  const rows: (readonly string[])[] = [];
  for (const subject of subjects) rows.push(await rowOf(subject));
  await expect(markdownTable(['', ...columns, `CPU, ${simplest} = 1`], rows)).toMatchFileSnapshot(file);
});
