import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listen } from '../../../infra/local/host/listen.ts';
import { LocalRunError } from '../../../infra/local/host/local-run-error.ts';
import type { LocalRunOptions } from '../../../infra/local/local-run.ts';
import { queueUrl } from '../../../infra/local/template/identities.ts';
import { sqs } from '../../../shared/aws/sqs.ts';
import { eventually } from '../../support/eventually.ts';
import { startRun } from '../../support/test-run.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cdn-management-local-run-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string): string {
  return join(folder, name);
}

/** Starts and must fail, with one line for the person at the terminal. */
async function refused(reason: RegExp, options?: Partial<LocalRunOptions>): Promise<void> {
  const error: unknown = await startRun(folder, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toMatch(reason);
}

test('what cannot be used is said in one line', async () => {
  const taken = createServer();
  await refused(/^Port \d+ cannot be used.*Set EDGE_PORT to another\.$/, {
    edgePort: await listen(taken, 0, 'a port'),
  });
  taken.close();
  await refused(/^The database does not respond: .*$/, { dynamodbEndpoint: 'http://127.0.0.1:1' });
});

test('so is a data directory that is broken', async () => {
  writeFileSync(file('demo.json'), 'no JSON');
  await refused(/^\S+demo\.json is broken or of another version\. .*$/);
  rmSync(file('demo.json'));
  for (const name of readdirSync(folder).filter((each) => each.startsWith('dynamodb'))) rmSync(file(name));
  writeFileSync(file('dynamodb.sqlite'), 'this is no database '.repeat(500));
  await refused(/^The embedded database has ended \(status \d+\): see \S+dynamodb\.sqlite\.log\.$/);
  rmSync(file('dynamodb.sqlite.log'));
  mkdirSync(file('dynamodb.sqlite.log'));
  await refused(/^EISDIR: .*dynamodb\.sqlite\.log'$/);
});

test('a disk that is full under the log fails the run', async () => {
  symlinkSync('/dev/full', file('functions.log'));
  const run = await startRun(folder);
  await sqs().send(new SendMessageCommand({ QueueUrl: queueUrl('CdnManagement-purge'), MessageBody: '?' }));
  await eventually(
    async () => run.failure.aborted,
    (failed) => failed,
  );
  expect(run.failure.reason).toBeInstanceOf(LocalRunError);
  expect(run.failure.reason.message).toMatch(/^The log \S+functions\.log cannot be written: ENOSPC.*$/);
  await run.stop();
});
