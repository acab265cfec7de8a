import { purgeKeys } from '../../../shared/edge/cache-keys.ts';
import { immediateDrivers } from '../../../shared/edge/immediate-drivers.ts';
import { ApiClient } from '../../support/api-client.ts';
import type { Demo } from '../../support/program.ts';
import { now } from '../../support/unix-time.ts';
import type { Benchmark, Measured } from './benchmark.ts';
import { Edges } from './edges.ts';
import { withProgram } from './local-run.ts';
import { interleaved } from './medians.ts';

interface Setting {
  readonly edgeCount: number;
  readonly rounds: number;
  readonly goal: number;
}

const leastDelayMilliseconds = 5;
const mostDelayMilliseconds = 50;

/**
 * How long after the API's response a purge is done on the last edge, against the same purge sent straight to the edges.
 */
export function lastEdgeBenchmark({ goal, ...setting }: Setting): Benchmark {
  return { unit: 'ms', goal, run: () => withProgram((demo) => compare(demo, setting)) };
}

async function compare(demo: Demo, { edgeCount, rounds }: Omit<Setting, 'goal'>): Promise<Measured> {
  const step = (mostDelayMilliseconds - leastDelayMilliseconds) / (edgeCount - 1);
  const edges = await Edges.start(
    Array.from({ length: edgeCount }, (_, index) => leastDelayMilliseconds + step * index),
  );
  const api = new ApiClient(demo.baseUrl, demo.apiKey);
  const purgeOf = (url: string) =>
    ({ type: 'url', soft: false, hostnames: [demo.hostname], values: [url] }) as const;
  const keyOf = (url: string) => purgeKeys(purgeOf(url)).join(' ');

  const throughApi = async (url: string): Promise<number> => {
    const done = edges.lastDone(keyOf(url));
    const { status, text } = await api.post(`/api/property/${demo.propertyId}/purge`, {
      type: 'url',
      urls: [url],
    });
    const respondedAt = now();
    if (status !== 200) throw new Error(text);
    return Math.max((await done) - respondedAt, 0);
  };
  const straight = async (url: string): Promise<number> => {
    const done = edges.lastDone(keyOf(url));
    const sentAt = now();
    const sending = edges.registered.map((edge) => immediateDrivers[edge.driver].prepare(purgeOf(url))(edge));
    await Promise.all(sending);
    return (await done) - sentAt;
  };
  const measured = await interleaved(
    rounds,
    (round) => throughApi(`/api/${round}`),
    (round) => straight(`/straight/${round}`),
  );
  await edges.stop();
  return measured;
}
