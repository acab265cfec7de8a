import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SQSEvent } from 'aws-lambda';
import { Pool } from 'undici';
import { handler } from '../../functions/purge-consumer.ts';
import { physicalQueueName } from '../../infra/definition/physical-names.ts';
import { queueUrl } from '../../infra/local/template/identities.ts';
import { addEdge, removeEdge } from '../../shared/edge/edge-table.ts';
import { headers } from '../../shared/edge/purge-protocol.ts';
import { metricNamespaceVariable, queueVariable } from '../../shared/ground/resources.ts';
import type { AcceptedPurge } from '../../shared/purge/purge.ts';
import { recordPurge } from '../../shared/purge/purge-table.ts';
import { acceptedPurge } from '../support/accepted-purge.ts';
import { cpuMillisecondsOf } from '../support/cpu-time.ts';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { withProgram } from './support/local-run.ts';
import { interleaved } from './support/medians.ts';

/**
 * CPU that the consumer takes for each purge of an edge, everything included (database, signatures, progress),
 * against the same requests by undici alone.
 */
export const benchmark: Benchmark = { unit: 'µs of CPU a purge of an edge', goal: 1.5, run };

const edgeCount = 50;
const batchSize = 10;
const rounds = 150;

async function startEdges() {
  const child = fork(join(import.meta.dirname, 'support', 'instant-edges.ts'), [String(edgeCount)]);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The edges have not started')));
  const message = await Promise.race([once(child, 'message'), ended]);
  const [{ ports }] = message as [{ ports: readonly number[] }];
  return { urls: ports.map((port) => `http://127.0.0.1:${port}`), stop: () => child.kill() };
}

function recordOf(purge: AcceptedPurge) {
  return {
    messageId: purge.id,
    receiptHandle: 'none',
    body: JSON.stringify({ purge }),
    attributes: { ApproximateReceiveCount: '1' },
  };
}

async function microsecondsOf(work: () => Promise<unknown>): Promise<number> {
  return ((await cpuMillisecondsOf(work)) * 1_000) / (edgeCount * batchSize);
}

/** What the consumer sends, without what it takes to make it. */
const bareHeaders = {
  [headers.time]: '1790000000',
  [headers.mode]: 'hard',
  [headers.keys]: `u/demo.localhost/${'0'.repeat(32)}`,
  [headers.signature]: '0'.repeat(64),
};

async function askBare(pool: Pool): Promise<void> {
  const { body } = await pool.request({ method: 'PURGE', path: '/', headers: bareHeaders });
  await body.json();
}

/** Says where its queues are, and registers the edges in the place of the run's own. */
async function prepare(urls: readonly string[]): Promise<void> {
  process.env[queueVariable('purge')] = queueUrl(physicalQueueName('CdnManagement', 'purge'));
  process.env[queueVariable('catchUp')] = queueUrl(physicalQueueName('CdnManagement', 'catchUp'));
  process.env[metricNamespaceVariable] = 'CdnManagement';
  await removeEdge('embedded');
  for (const [index, url] of urls.entries()) {
    const edge = { id: `edge-${index}`, driver: 'varnish', tier: 'edge', url } as const;
    await addEdge({ ...edge, secret: `secret of ${index}` }, 'hash');
  }
}

function run(): Promise<Measured> {
  return withProgram(async (demo) => {
    const edges = await startEdges();
    await prepare(edges.urls);
    const pools = edges.urls.map((url) => new Pool(url, { connections: 16 }));
    const measured = await interleaved(
      rounds,
      async (round) => {
        const purges = Array.from({ length: batchSize }, (_, index) =>
          acceptedPurge(demo, [`/bench/${round}/${index}`]),
        );
        await Promise.all(purges.map(recordPurge));
        const event = { Records: purges.map(recordOf) } as unknown as SQSEvent;
        return microsecondsOf(() => handler(event));
      },
      () =>
        microsecondsOf(() =>
          Promise.all(pools.flatMap((pool) => Array.from({ length: batchSize }, () => askBare(pool)))),
        ),
    );
    await Promise.all(pools.map((pool) => pool.close()));
    edges.stop();
    return measured;
  });
}
