import { newId } from '../../../shared/ground/id.ts';
import { namesOf } from '../../../shared/ground/names.ts';
import { type TableName, tables } from '../../../shared/ground/resources.ts';
import type { Endpoint } from '../../../shared/http/endpoint.ts';
import { ApiClient } from '../../support/api-client.ts';
import { type CallFaultName, type CallFaults, callFaults } from './call-faults.ts';
import { exampleRequest, secondFactorFor } from './example-request.ts';
import { difference, judgeAcknowledged, judgeResponse, type Outcome } from './judge-outcome.ts';
import type { Tally } from './tally.ts';
import { untilServed, untilState } from './until-served.ts';
import { makeWorld, type World } from './world.ts';
import { WorldState } from './world-state.ts';

/** An endpoint's example, sent again and again to worlds that are alike. */
export interface Subject {
  readonly endpoint: Endpoint;
  readonly functionName: string;
  readonly example: string;
}

export interface Bench {
  readonly baseUrl: string;
  readonly edgeToken: string;
  readonly faults: CallFaults;
  readonly tally: Tally;
  /** Of functions that write nothing, and so may share one. */
  readonly worlds: Map<string, World>;
}

/** What an endpoint may write: its role allows no more. */
function writtenBy({ touches }: Endpoint): ReadonlySet<TableName> {
  const isWritten = (name: TableName) =>
    touches.tables?.[name]?.some((action) => /Put|Update|Delete|Write/.test(action));
  return new Set(namesOf(tables).filter(isWritten));
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

async function prepare({ baseUrl, edgeToken, worlds }: Bench, { endpoint, example, functionName }: Subject) {
  const written = writtenBy(endpoint);
  const world =
    (written.size === 0 && worlds.get(functionName)) || (await makeWorld(secondFactorFor(endpoint)));
  worlds.set(functionName, world);
  const state = new WorldState(world, written);
  const api = new ApiClient(baseUrl, world.apiKey);
  const { path, sent } = exampleRequest(endpoint, example, world, { edgeToken, idempotencyKey: newId() });
  return { state, before: await state.read(), send: () => api.send(path, sent) };
}

/** Sends it twice without faults. */
export async function cleanOutcome(bench: Bench, subject: Subject): Promise<Outcome> {
  const { state, before, send } = await prepare(bench, subject);
  const lane = bench.faults.begin(subject.functionName);
  const first = await send();
  bench.faults.end(subject.functionName);
  const calls = lane.places.size;
  const once = await state.read();
  const second = await send();
  const twice = await state.read();
  return { statuses: [first.status, second.status], states: [before, once, twice], calls };
}

/** Sends it with a fault at one of its calls, and again without where it was not served. */
export async function faultedRequest(
  bench: Bench,
  subject: Subject,
  clean: Outcome,
  place: number,
  name: CallFaultName,
): Promise<void> {
  const { tally, faults } = bench;
  const { functionName, example } = subject;
  const prepared = await prepare(bench, subject);
  const lane = faults.begin(functionName, { place, kind: callFaults[name] });
  const response = await prepared.send().catch((error: unknown) => String(error));
  faults.end(functionName);
  if (!lane.isHit) return;
  tally.tried();
  const what = `${functionName} ${example}, call ${place} ${name}`;
  if (prepared.before !== clean.states[0]) tally.found('wrong', `${what}: the worlds are not alike`);
  if (typeof response === 'string') return tally.found('envelope', `${what}: ${response}`);
  judgeResponse(tally, what, response, callFaults[name], name.startsWith('killed'), clean.statuses[0]);
  const after = await prepared.state.read();
  if (response.status < 300) judgeAcknowledged(tally, what, after, clean);
  else await judgeRetry(tally, what, prepared, after, clean, lane.idempotencyKey);
}

/** What was not acknowledged is done or not, and a retry comes to what it comes to after either. */
async function judgeRetry(
  tally: Tally,
  what: string,
  { state, send }: Prepared,
  after: string,
  { statuses, states }: Outcome,
  idempotencyKey: string | undefined,
): Promise<void> {
  const [before, once, twice] = states;
  // The message of a purge makes what is missing of its record.
  if (after !== before && after !== once && !what.includes('purge-create'))
    tally.found('wrong', `${what}: half done: ${difference(before, after)}`);
  const [status, expected] = after === before ? [statuses[0], once] : [statuses[1], twice];
  const response = await untilServed(send, idempotencyKey);
  if (!response) return tally.found('stuck', `${what}: no retry is served`);
  if (response.status !== status)
    tally.found('wrong', `${what}: the retry is ${response.status}, not ${status}: ${response.text}`);
  const settled = await untilState(state, expected);
  if (settled !== expected) tally.found('doubled', `${what}, retried: ${difference(expected, settled)}`);
}
