import { functionSources } from '../../infra/definition/functions.ts';
import { newId } from '../../shared/ground/id.ts';
import type { Endpoint } from '../../shared/http/endpoint.ts';
import { writeUnitsOf } from '../cost/billed.ts';
import {
  type ExampleRequest,
  exampleNames,
  exampleRequest,
  secondFactorFor,
} from '../trust/support/faults/example-request.ts';
import { makeWorld, type World } from '../trust/support/faults/world.ts';
import { ApiClient } from './api-client.ts';
import { CallWaves } from './call-waves.ts';
import { holdOffOthers } from './config-poll.ts';
import { makeEdge, removeMadeEdges } from './edge-log.ts';
import type { TestRun } from './test-run.ts';

/** A function, and a request that it serves. */
export interface Subject {
  readonly title: string;
  readonly functionName: string;
  readonly endpoint: Endpoint;
}

/** What a function asks of AWS for one request, how much it sends there, and how much the client is given. */
export const columns = ['Sequential calls', 'Calls', 'Read units', 'Write units', 'KB sent', 'KB responded'];

/** Its response holds a drawing of what is random. */
const drawing: readonly string[] = ['auth-two-factor-setup'];

const endpointSubjects: readonly Subject[] = functionSources.flatMap(({ name, endpoint }) =>
  endpoint ? [{ title: name, functionName: name, endpoint }] : [],
);

/** The authorizer is asked about a key and about a token, whatever the endpoint. */
export const subjects: readonly Subject[] = [
  ...(['account-get', 'auth-logout'] as const).flatMap((name) =>
    endpointSubjects
      .filter(({ title }) => title === name)
      .map(({ endpoint }) => ({
        title: `authorizer of ${endpoint.access === 'user' ? 'a token' : 'an API key'}`,
        functionName: 'authorizer',
        endpoint,
      })),
  ),
  ...endpointSubjects,
];

/** @returns what the columns say, of a function that has served such a request before */
export async function countCalls(run: TestRun, subject: Subject): Promise<readonly string[]> {
  const { aws, baseUrl } = run;
  const { title, endpoint } = subject;
  const functionName = `CdnManagement-${subject.functionName}`;
  const { path, sent } = await requestOf(run, endpoint);
  const waves = new CallWaves(functionName);
  const others = aws.fault;
  aws.calls.length = 0;
  aws.fault = (...call) => others(...call) ?? waves.hold(call[0], call[1], call[2]);
  const { status, text } = await new ApiClient(baseUrl, '').send(path, sent);
  aws.fault = () => undefined;
  await removeMadeEdges();
  if (status !== 200 && status !== 201) throw new Error(`${sent.method} ${path}: ${status} ${text}`);
  const calls = aws.calls.filter((call) => call.functionName === functionName);
  const total = (of: (call: (typeof calls)[number]) => number) =>
    calls.reduce((sum, call) => sum + of(call), 0);
  return [
    String(waves.count),
    String(calls.length),
    String(total(({ readUnits }) => readUnits)),
    String(total(writeUnitsOf)),
    kilobytes(total(({ requestBytes }) => requestBytes)),
    subject.functionName === 'authorizer' || drawing.includes(title)
      ? ''
      : kilobytes(Buffer.byteLength(text)),
  ];
}

/** Not finer, since numbers that count what other tests do have more digits the more they do. */
function kilobytes(bytes: number): string {
  return (Math.floor(bytes / 100) / 10).toFixed(1);
}

/** The endpoint's first example, of a customer of its own, without what a retry would need. */
async function requestOf(run: TestRun, endpoint: Endpoint): Promise<ExampleRequest> {
  const world = await makeWorld(secondFactorFor(endpoint));
  const isOfEdge = endpoint.headers?.some(({ name }) => name === 'X-Edge-Token') ?? false;
  const edgeToken = isOfEdge ? await edgeOf(world) : '';
  const [example = ''] = exampleNames(endpoint);
  const request = exampleRequest(endpoint, example, world, { edgeToken, idempotencyKey: newId() });
  const headers = request.sent.headers?.filter(([name]) => name !== 'Idempotency-Key') ?? [];
  const sent = { ...request.sent, headers };
  if (endpoint.path !== '/api/edge/config') return { ...request, sent };
  holdOffOthers(run, edgeToken);
  return { path: await idlePoll(run, request.path, sent), sent };
}

function edgeOf({ accountId }: World): Promise<string> {
  return makeEdge(`calls-${accountId}`, { accounts: [accountId], properties: [] });
}

/** The path by which an edge polls that has everything. */
async function idlePoll({ baseUrl }: TestRun, path: string, sent: ExampleRequest['sent']): Promise<string> {
  const api = new ApiClient(baseUrl, '');
  const separator = path.includes('?') ? '&' : '?';
  let next = path;
  for (;;) {
    const { data } = await api.send(next, sent);
    next = `${path}${separator}${new URLSearchParams({ cursor: data.cursor })}`;
    if (!data.isMore) return next;
  }
}
