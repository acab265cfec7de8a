import { urlKey } from '../../../shared/edge/cache-keys.ts';
import { ApiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import type { Mood } from '../../support/moods.ts';
import type { Demo } from '../../support/program.ts';
import { edgeStates } from '../../support/registry.ts';
import { now } from '../../support/unix-time.ts';
import type { Benchmark, Measured } from './benchmark.ts';
import { Edges } from './edges.ts';
import { withProgram } from './local-run.ts';
import { percentile } from './medians.ts';

interface Setting {
  /** How those that are bad behave. */
  readonly bad: readonly Mood[];
  /** Which part of the purges takes no longer than what is compared: 0.5 for the median. */
  readonly part: number;
  readonly goal: number;
}

const edgeCount = 50;
const delayMilliseconds = 5;
const turns = 8;
const purges = 40;

/**
 * How long after the API's response a purge is done on the last healthy one of 50 edges, with bad ones among them,
 * against the same with none. Each turn begins with edges that were good until then.
 */
export function badEdgesBenchmark({ bad, part, goal }: Setting): Benchmark {
  return { unit: 'ms', goal, run: () => withProgram((demo) => compare(demo, bad, part)) };
}

async function compare(demo: Demo, bad: readonly Mood[], part: number): Promise<Measured> {
  const edges = await Edges.start(Array.from({ length: edgeCount }, () => delayMilliseconds));
  const times = { bad: [] as number[], good: [] as number[] };
  for (let turn = -1; turn < turns; turn += 1) {
    const withBad = await turnOf(demo, edges, bad, `bad/${turn}`);
    const without = await turnOf(demo, edges, [], `good/${turn}`);
    if (turn < 0) continue;
    times.bad.push(...withBad);
    times.good.push(...without);
  }
  await edges.stop();
  return { ours: percentile(times.bad, part), other: percentile(times.good, part) };
}

/** Ends with all edges well again. */
async function turnOf(demo: Demo, edges: Edges, moods: readonly Mood[], name: string): Promise<number[]> {
  edges.setMoods(moods);
  const api = new ApiClient(demo.baseUrl, demo.apiKey);
  const times: number[] = [];
  for (let number = 0; number < purges; number += 1)
    times.push(await purge(api, demo, edges, `/${name}/${number}`));
  edges.setMoods([]);
  await eventually(edgeStates, (states) => [...states.values()].every(({ lagging }) => !lagging), 400_000);
  return times;
}

async function purge(api: ApiClient, demo: Demo, edges: Edges, url: string): Promise<number> {
  const done = edges.lastDone(urlKey(demo.hostname, url));
  const path = `/api/property/${demo.propertyId}/purge`;
  const { status, text } = await api.post(path, { type: 'url', urls: [url] });
  const respondedAt = now();
  if (status !== 200) throw new Error(text);
  return Math.max((await done) - respondedAt, 0);
}
