import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { functionsLogName } from '../../../infra/local/host/functions-log.ts';
import { queueUrl } from '../../../infra/local/template/identities.ts';
import type { Check } from '../../../infra/operator/doctor/check.ts';
import { Examined } from '../../../infra/operator/doctor/examined.ts';
import { logs } from '../../../infra/operator/doctor/logs.ts';
import { outputs } from '../../../infra/operator/doctor/outputs.ts';
import { queues } from '../../../infra/operator/doctor/queues.ts';
import { listAllApiKeys } from '../../../shared/account/account-api-key-table.ts';
import { listAccounts } from '../../../shared/account/account-table.ts';
import { listUsernames } from '../../../shared/account/account-user-table.ts';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { sqs } from '../../../shared/aws/sqs.ts';
import { addEdge, removeEdge } from '../../../shared/edge/edge-table.ts';
import { edgeLaggingMessage } from '../../../shared/edge/lagging.ts';
import { openBreaker } from '../../../shared/edge/lagging-table.ts';
import { allProperties } from '../../../shared/property/property-table.ts';
import { callSchedule } from '../../support/catch-up.ts';
import { type Change, ChangedApi, type Given, unchanged } from '../../support/changed-api.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeEdge } from '../../support/fake-edge.ts';
import { FakeStack } from '../../support/fake-stack.ts';
import { getFromEdge } from '../../support/get-from-edge.ts';
import { json, operator, run } from '../../support/operator.ts';
import { keyOfEdge } from '../../support/registry.ts';

interface Line {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

const names = [
  ...['outputs', 'envelope', 'spelling', 'double slash', 'login', 'purge', 'completion', 'logs', 'queues'],
  ...['quotas', 'tables', 'revocation'],
];
const scheduleLogs = '/aws/lambda/CdnManagement-catch-up-schedule';

/** A deployed stack: the run's own API, tables and queues, and a fake of what only AWS has. */
const stack = new FakeStack();
let api: ChangedApi;

beforeAll(async () => {
  api = new ChangedApi(run.baseUrl);
  await Promise.all([stack.start(), api.start()]);
  stack.outputs.set('ApiUrl', `${api.url}/`);
  for (const service of ['CLOUDFORMATION', 'CLOUDWATCH_LOGS'])
    vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, stack.url);
});
afterAll(() => Promise.all([stack.stop(), api.stop()]));

/** @returns the lines of a stack, of which some are not ok */
async function failedOnStack(...flags: string[]): Promise<readonly Line[]> {
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', stack.url);
  const { status, stdout, stderr } = await operator('doctor', '--stack', 'CdnManagement', '--json', ...flags);
  const lines: Line[] = JSON.parse(stdout);
  expect(lines.map(({ check }) => check)).toEqual(names);
  const failed = lines.filter(({ ok }) => !ok);
  const said = `operator: Not as assumed: ${failed.map(({ check }) => check).join(', ')}.\n`;
  expect([status, stderr]).toEqual(failed.length > 0 ? [1, said] : [0, '']);
  return failed;
}

function edge(id: string, url: string) {
  return { id, driver: 'varnish', tier: 'edge', secret: 'x'.repeat(16), url } as const;
}

/** The lines of an edge that lags for long, as the schedule really writes them. */
async function writtenLines(): Promise<readonly string[]> {
  await addEdge(edge('away', 'http://127.0.0.1:1'), 'hash');
  await openBreaker(
    keyOfEdge('away'),
    { kind: 'unreachable', reason: 'away' },
    new Date(Date.now() - 3_600_000),
  );
  await callSchedule(run);
  const text = await eventually(
    async () => readFileSync(join(run.folder, functionsLogName), 'utf8'),
    (written) => written.includes(edgeLaggingMessage) && written.endsWith('\n'),
  );
  await removeEdge('away');
  return text.trimEnd().split('\n');
}

test('all is as assumed on the local run, one line each, and on a stack that is protected', async () => {
  await getFromEdge(run.edgeUrl, run.hostname, '/');
  const { status, stdout, stderr } = await operator('doctor');
  expect([status, stderr]).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.slice(0, 22).trimEnd())).toEqual(names.map((name) => `ok      ${name}`));
  await json('protect');
  stack.lines = { [scheduleLogs]: await writtenLines() };
  stack.outputs.set('DomainUrl', `${run.baseUrl}/`);
  expect(await failedOnStack()).toEqual([]);
  stack.outputs.delete('DomainUrl');
});

test('it has two accounts, a user and a property of its own, leaves no credential and empties no edge', async () => {
  expect((await getFromEdge(run.edgeUrl, run.hostname, '/')).cache).toBe('HIT');
  const own = (await listAccounts()).filter(({ name }) => name.startsWith('operator doctor'));
  const ownIds = own.map(({ accountId }) => accountId);
  const found = async <Item>(list: (accountId: string) => Promise<readonly Item[]>) =>
    (await Promise.all(ownIds.map(list))).flat();
  expect(own.map(({ name, status }) => [name, status]).sort()).toEqual([
    ['operator doctor: login', 'disabled'],
    ['operator doctor: purge', 'active'],
  ]);
  expect(await found(listUsernames)).toEqual(['operator-doctor']);
  const hostnames = [expect.stringMatching(/\.doctor\.invalid$/)];
  expect(await found(allProperties)).toEqual([expect.objectContaining({ hostnames })]);
  const revoked = expect.objectContaining({ revokedAt: expect.any(String) });
  expect(await found(listAllApiKeys)).toEqual([revoked, revoked]);
});

type Undo = () => unknown;

/** On the way between the doctor and the API. */
function changing(change: Change): () => Undo {
  return () => {
    api.change = change;
    return () => (api.change = unchanged);
  };
}

function attributes(queue: string, planted: Record<string, string>, right: Record<string, string>) {
  const set = (Attributes: Record<string, string>) =>
    sqs().send(new SetQueueAttributesCommand({ QueueUrl: queueUrl(`CdnManagement-${queue}`), Attributes }));
  return async (): Promise<Undo> => {
    await set(planted);
    return () => set(right);
  };
}

function redriveOf(queue: string): Record<string, string> {
  const deadLetterTargetArn = `arn:aws:sqs:us-east-1:000000000000:CdnManagement-${queue}-dead-letter`;
  return { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 60 }) };
}

async function protection(DeletionProtectionEnabled: boolean): Promise<void> {
  const TableName = 'CdnManagement-purges';
  await dynamodb().send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled }));
}

const gateways = { status: 403, headers: {}, body: '{"message":"Missing Authentication Token"}' };

const faults: Readonly<
  Record<string, readonly [plant: () => Undo | Promise<Undo>, failed: string[], detail: RegExp]>
> = {
  'the stage is missing': [
    changing(async (asked, forward) => (asked.path.startsWith('/swagger') ? gateways : forward(asked))),
    ['outputs'],
    /swagger\.json gives 403 without the API’s description\. Deploy again/,
  ],
  'the gateway’s own 401': [
    changing(async (asked, forward) => {
      const given = await forward(asked);
      return given.status === 401 && !asked.headers['x-api-key'] && asked.method === 'GET'
        ? { ...given, body: '{"message":"Unauthorized"}' }
        : given;
    }),
    ['envelope'],
    /account gives 401 without the envelope/,
  ],
  'no way from an escape to the fallback': [
    changing(async (asked, forward) => (asked.path.includes('%') ? gateways : forward(asked))),
    ['spelling'],
    /%61ccount gives 403 without the envelope/,
  ],
  'slashes that are merged': [
    changing((asked, forward) => forward({ ...asked, path: asked.path.replace('/api//', '/api/') })),
    ['double slash'],
    /\/api\/\/account gives 200, not 404/,
  ],
  'another argon2': [
    changing((asked, forward) =>
      forward({ ...asked, body: asked.body.replace(/"password":"/, '"password":"other ') }),
    ),
    ['login'],
    /argon2 finds the right password wrong\..* nodejs24\.x/,
  ],
  'a queue that takes nothing': [
    () => {
      run.aws.fault = (operation) => (operation === 'sqs:SendMessage' ? { type: 'AccessDenied' } : undefined);
      return () => (run.aws.fault = () => undefined);
    },
    ['purge', 'completion'],
    /purge gives 50\d, not 200: .* Look for [\w-]+ in the functions’ logs/,
  ],
  'an edge that refuses': [
    async () => {
      const unwilling = new FakeEdge();
      unwilling.statusOf = () => 400;
      await unwilling.start();
      await addEdge(edge('unwilling', unwilling.url), 'hash');
      return () => Promise.all([removeEdge('unwilling'), unwilling.stop()]);
    },
    ['completion'],
    /The purge failed\. Edge unwilling is failed \(.*\): operator edge check --id unwilling\./,
  ],
  'a filter for another format': [
    () => {
      const { filters } = stack;
      stack.filters = [{ LogGroupName: scheduleLogs, FilterPattern: '{ $.message = "edge lagging" }' }];
      return () => (stack.filters = filters);
    },
    ['logs'],
    /No metric filter of \S+ finds "edge lagging" alone/,
  ],
  'messages that come again too early': [
    attributes('purge', { VisibilityTimeout: '30' }, { VisibilityTimeout: '180' }),
    ['queues'],
    /CdnManagement-purge hides messages for 30 s, not 180\. Somebody has changed it: deploy again\./,
  ],
  'a new account’s quota': [
    () => {
      stack.unreservedConcurrency = 10;
      return () => (stack.unreservedConcurrency = 1_000);
    },
    ['quotas'],
    /runs 10 executions .* 94 are needed, .* Ask in Service Quotas/,
  ],
  'an unprotected table': [
    async () => {
      await protection(false);
      return () => protection(true);
    },
    ['tables'],
    /^Not protected from deletion: CdnManagement-purges\. operator protect --stack CdnManagement\.$/,
  ],
  'an authorizer’s response that is cached': [
    () => {
      let cached: Given | undefined;
      api.change = async (asked, forward) => {
        const isAccount = /^\/api\/account$/i.test(asked.path) && asked.headers['x-api-key'] !== undefined;
        if (!isAccount) return forward(asked);
        cached ??= await forward(asked);
        return cached;
      };
      return () => (api.change = unchanged);
    },
    ['revocation'],
    /\/api\/account lets a revoked key in/,
  ],
};

test.each(Object.entries(faults))('%s: its line is red, and no other', async (_, [plant, failed, detail]) => {
  const undo = await plant();
  try {
    const lines = await failedOnStack();
    expect(lines.map(({ check }) => check)).toEqual(failed);
    expect(lines[0]?.detail).toMatch(detail);
  } finally {
    await undo();
  }
});

const single: Readonly<
  Record<string, readonly [check: Check, plant: () => Undo | Promise<Undo>, detail: RegExp]>
> = {
  'no log group': [
    logs,
    () => {
      stack.logGroups.delete(scheduleLogs);
      return () => stack.logGroups.add(scheduleLogs);
    },
    /There is no log group \S+catch-up-schedule\. Deploy again/,
  ],
  'a log format of text': [
    logs,
    () => {
      const name = 'CdnManagement-catch-up-schedule';
      const right = stack.loggingOf.get(name);
      stack.loggingOf.set(name, { LogFormat: 'Text', LogGroup: scheduleLogs });
      return () => right && stack.loggingOf.set(name, right);
    },
    /writes Text to \S+, not JSON/,
  ],
  'lines that are no JSON': [
    logs,
    () => {
      const { lines } = stack;
      stack.lines = { [scheduleLogs]: ['2026-11-01T00:00:00.000Z\t1\tWARN\t{"message":"edge lagging"}'] };
      return () => (stack.lines = lines);
    },
    /1 of 1 lines of \S+ are not JSON/,
  ],
  'messages that are never given up': [
    queues,
    attributes('catch-up', { RedrivePolicy: '' }, redriveOf('catch-up')),
    /CdnManagement-catch-up does not give up into CdnManagement-catch-up-dead-letter after 60 tries/,
  ],
  'dead letters that are soon lost': [
    queues,
    attributes('purge-dead-letter', { MessageRetentionPeriod: '60' }, { MessageRetentionPeriod: '1209600' }),
    /CdnManagement-purge-dead-letter keeps messages for 60 s/,
  ],
  'no output': [
    outputs,
    () => {
      stack.outputs.delete('ApiUrl');
      return () => stack.outputs.set('ApiUrl', `${api.url}/`);
    },
    /has no output ApiUrl/,
  ],
  'an address at which nothing responds': [
    outputs,
    () => {
      stack.outputs.set('DomainUrl', 'http://127.0.0.1:1/');
      return () => stack.outputs.delete('DomainUrl');
    },
    /^http:\/\/127\.0\.0\.1:1\/swagger\S+ does not respond \(/,
  ],
};

test.each(Object.entries(single))(
  '%s is not ok, and what to do is said',
  async (_, [check, plant, detail]) => {
    const run = () => check.run(new Examined('CdnManagement', undefined, 60));
    expect(await run()).toEqual(expect.any(String));
    const undo = await plant();
    await expect(run()).rejects.toThrow(detail);
    await undo();
  },
);

test('on the local run too: a line that is no JSON is red for people, with exit status 1', async () => {
  const path = join(run.folder, functionsLogName);
  const before = readFileSync(path);
  appendFileSync(path, '(node:7) Warning: planted\n');
  const { status, stdout, stderr } = await operator('doctor');
  writeFileSync(path, before);
  expect([status, stderr]).toEqual([1, 'operator: Not as assumed: logs.\n']);
  const [line, ...others] = stdout.split('\n').filter((each) => each && !each.startsWith('ok      '));
  expect([line, others]).toEqual([expect.stringMatching(/^not ok {2}logs {10}1 of .*"\(node:7\)/), []]);
});

test('what takes too long is red when the time is over, and stops nothing else', async () => {
  const [away, hanging] = [Promise.withResolvers<number>(), Promise.withResolvers<never>()];
  const silent = new FakeEdge();
  silent.statusOf = () => away.promise;
  await silent.start();
  await addEdge(edge('silent', silent.url), 'hash');
  api.change = (asked, forward) => (asked.path.endsWith('/Login') ? hanging.promise : forward(asked));
  const failed = await failedOnStack('--timeout', '1');
  api.change = unchanged;
  away.resolve(200);
  await removeEdge('silent');
  await silent.stop();
  const late = (check: string, detail: RegExp) => ({
    check,
    ok: false,
    detail: expect.stringMatching(detail),
  });
  expect(failed).toContainEqual(late('login', /^There was no result within 1 s/));
  expect(failed).toContainEqual(late('completion', /The purge is \w+ after 1 s|no result within 1 s/));
});

test.each([
  ...['0', '901', '1.5', 'x'].map((seconds) => [seconds, 'must be a number from 1 to 900']),
  ['', 'is empty'],
])('--timeout %j is wrong usage', async (seconds, fault) => {
  const { status, stderr } = await operator('doctor', '--timeout', seconds);
  expect([status, stderr]).toEqual([2, `operator: --timeout ${fault}\n`]);
});
