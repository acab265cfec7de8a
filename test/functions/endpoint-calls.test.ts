import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markdownTable } from '../cost/markdown-table.ts';
import { columns, countCalls, type Subject, subjects } from '../support/endpoint-calls.ts';
import { joinSharedRun } from '../support/shared-run.ts';
import type { TestRun } from '../support/test-run.ts';

const file = join(import.meta.dirname, 'endpoint-calls.md');
const lastTime = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];

/** A machine that is busy makes a function wait more often. */
const mostTries = 6;

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
  process.env.ALLOW_PRIVATE_ORIGINS = 'true';
});
afterAll(() => run.end());

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** As it was last time, where one of some tries shows that; else what took least. */
async function rowOf(subject: Subject): Promise<readonly string[]> {
  const rows: (readonly string[])[] = [];
  // The first makes the function, its connections and what it remembers.
  await countCalls(run, subject);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const row = [subject.title, ...(await countCalls(run, subject))];
    if (lastTime.includes(lineOf(row))) return row;
    rows.push(row);
  }
  const [least = []] = rows.sort((a, b) => Number(a[1]) - Number(b[1]));
  return least;
}

test('each endpoint asks as much of AWS as when it was last looked at', async () => {
  const rows: (readonly string[])[] = [];
  for (const subject of subjects) rows.push(await rowOf(subject));
  await expect(markdownTable(['', ...columns], rows)).toMatchFileSnapshot(file);
});
