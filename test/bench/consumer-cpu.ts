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
import { percentile, withLocalRun } from './run.ts';

/**
 * CPU that the consumer takes for each purge of an edge, everything included (database, signatures, progress),
 * against the same requests by undici alone; one round of each in turn.
 */
const edgeCount = 50;
const batchSize = 10;
const rounds = 150;
const warmUpRounds = 15;

async function startEdges() {
  const child = fork(join(import.meta.dirname, 'instant-edges.ts'), [String(edgeCount)]);
  const [{ ports }] = (await once(child, 'message')) as [{ ports: readonly number[] }];
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
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (edgeCount * batchSize);
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

await withLocalRun(async (run) => {
  const edges = await startEdges();
  process.env[queueVariable('purge')] = queueUrl(physicalQueueName('CdnManagement', 'purge'));
  process.env[queueVariable('catchUp')] = queueUrl(physicalQueueName('CdnManagement', 'catchUp'));
  process.env[metricNamespaceVariable] = 'CdnManagement';
  await removeEdge('embedded');
  for (const [index, url] of edges.urls.entries()) {
    await addEdge(
      { id: `edge-${index}`, driver: 'varnish', url, tier: 'edge', secret: `secret of ${index}` },
      'hash',
    );
  }
  const pools = edges.urls.map((url) => new Pool(url, { connections: 16 }));
  const consumer: number[] = [];
  const bare: number[] = [];
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const purges = Array.from({ length: batchSize }, (_, index) =>
      acceptedPurge(run, [`/bench/${round}/${index}`]),
    );
    await Promise.all(purges.map(recordPurge));
    const event = { Records: purges.map(recordOf) } as unknown as SQSEvent;
    const pair = [
      await microsecondsOf(() => handler(event)),
      await microsecondsOf(() =>
        Promise.all(pools.flatMap((pool) => Array.from({ length: batchSize }, () => askBare(pool)))),
      ),
    ] as const;
    if (round < 0) continue;
    consumer.push(pair[0]);
    bare.push(pair[1]);
  }
  const [ours, theirs] = [percentile(consumer, 0.5), percentile(bare, 0.5)];
  console.log(
    `CPU of a purge of an edge: consumer ${ours.toFixed(1)} µs, bare undici ${theirs.toFixed(1)} µs, ratio ${(ours / theirs).toFixed(2)}`,
  );
  await Promise.all(pools.map((pool) => pool.close()));
  edges.stop();
});
process.exit();
