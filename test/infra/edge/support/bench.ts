import { afterAll, beforeAll } from 'vitest';
import type { EdgePurge, EdgePurged } from '../../../../shared/edge/driver.ts';
import { immediateDrivers } from '../../../../shared/edge/immediate-drivers.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Ask, EdgeClient, type EdgeResponse } from './edge-client.ts';
import type { EdgeUnderTest, RunningEdge } from './edge-under-test.ts';
import { TestOrigin } from './test-origin.ts';

/** Stale content may be served for 10 s after a soft purge: what is new sooner was refreshed meanwhile. */
export const refreshMilliseconds = 8_000;

export const secret = 'a secret that only this test knows: "quotes", %41, \\ and more';

/** An origin, an edge in front of it, a browser and the driver. */
export interface Bench<Origin extends TestOrigin = TestOrigin> {
  readonly origin: Origin;
  readonly running: RunningEdge;
  readonly client: EdgeClient;
  /** Purges the edge, after its shield; @returns what the edge responded */
  purge(purge: EdgePurge): Promise<EdgePurged>;
  stop(): Promise<void>;
}

export async function startBench<Origin extends TestOrigin>(
  backend: EdgeUnderTest,
  origin: Origin,
): Promise<Bench<Origin>> {
  const running = await backend.start(await origin.start(), secret);
  const client = new EdgeClient(running.baseUrl);
  return {
    origin,
    running,
    client,
    async purge(purge) {
      const { shield, edge } = running;
      if (shield) await immediateDrivers[shield.driver].prepare(purge)(shield);
      return immediateDrivers[edge.driver].prepare(purge)(edge);
    },
    async stop() {
      await client.stop();
      await running.stop();
      await origin.stop();
    },
  };
}

/** A bench for the tests of a suite. */
export function useBench(backend: EdgeUnderTest): () => Bench {
  let bench: Bench | undefined;
  beforeAll(async () => {
    bench = await startBench(backend, new TestOrigin());
  });
  afterAll(() => bench?.stop());
  return () => {
    if (!bench) throw new Error('the bench has not been started yet');
    return bench;
  };
}

/** Asks for a page, and returns as soon as the origin is busy with it. */
export async function beginFetch(
  { client, origin }: Bench,
  ask: Ask,
): Promise<{ readonly response: Promise<EdgeResponse> }> {
  const before = origin.requests;
  const response = client.ask(ask);
  await eventually(
    async () => origin.requests,
    (requests) => requests > before,
  );
  return { response };
}
