import { newId } from '../../../../shared/ground/id.ts';
import { namesOf } from '../../../../shared/ground/names.ts';
import { type TableName, tables } from '../../../../shared/ground/resources.ts';
import type { Endpoint } from '../../../../shared/http/endpoint.ts';
import { ApiClient } from '../../../support/api-client.ts';
import type { Tally } from '../tally.ts';
import type { CallFaults } from './call-faults.ts';
import { exampleRequest, secondFactorFor } from './example-request.ts';
import { judgeAcknowledged, judgeResponse, type Outcome } from './judge-outcome.ts';
import { judgeRetry } from './judge-retry.ts';
import type { Mishap } from './mishap.ts';
import { untilServed } from './until-served.ts';
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
export function writtenBy({ touches }: Endpoint): ReadonlySet<TableName> {
  const isWritten = (name: TableName) =>
    touches.tables?.[name]?.some((action) => /Put|Update|Delete|Write/.test(action));
  return new Set(namesOf(tables).filter(isWritten));
}

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
  const { faults } = bench;
  const lane = faults.begin(subject.functionName);
  const first = await send();
  faults.end(subject.functionName);
  const calls = lane.operations;
  const awaits = faults.environments.awaits.get(subject.functionName) ?? 0;
  const once = await state.read();
  const second = await send();
  const twice = await state.read();
  return { statuses: [first.status, second.status], states: [before, once, twice], calls, awaits };
}

/** Sends it with a mishap on the way, and again without where it was not served. */
export async function faultedRequest(
  bench: Bench,
  subject: Subject,
  clean: Outcome,
  mishap: Mishap,
): Promise<void> {
  const { tally } = bench;
  const { functionName, example } = subject;
  const { state, before, send } = await prepare(bench, subject);
  const { response, isHit, idempotencyKey } = await mishap.during(() =>
    send().catch((error: unknown) => String(error)),
  );
  if (!isHit) return;
  tally.tried();
  const what = `${functionName} ${example}, ${mishap.name}`;
  if (before !== clean.states[0]) tally.found('wrong', `${what}: the worlds are not alike`);
  if (typeof response === 'string') return tally.found('envelope', `${what}: ${response}`);
  judgeResponse(tally, what, response, mishap, clean.statuses[0]);
  const after = await state.read();
  if (response.status < 300) judgeAcknowledged(tally, what, after, clean);
  else await judgeRetry(tally, what, after, clean, state, () => untilServed(send, idempotencyKey));
}
