import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { physicalQueueName } from '../../infra/definition/physical-names.ts';
import { queueUrl } from '../../infra/local/template/identities.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import { queueVariable } from '../../shared/ground/resources.ts';
import { isQueueEmpty } from '../../shared/purge/purge-queue.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import type { Demo } from '../support/program.ts';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { bundleExpress } from './support/express/bundle.ts';
import { sharedFolders } from './support/folders.ts';
import { withProgram } from './support/local-run.ts';
import { interleaved } from './support/medians.ts';

/**
 * A purge at the local run's gateway, authorizer included, where 16 are under way at a time, against a server that is all
 * endpoints in Express on the same stores.
 */
export const benchmark: Benchmark = { unit: 'ms a purge', goal: 1, run };

const turns = 12;
const purges = 400;
const atOnce = 16;

function run(): Promise<Measured> {
  return withProgram(async (demo) => {
    process.env[queueVariable('purge')] = queueUrl(physicalQueueName('CdnManagement', 'purge'));
    const express = await startExpress();
    const measured = await interleaved(
      turns,
      () => millisecondsOfPurge(demo, demo.baseUrl),
      () => millisecondsOfPurge(demo, express.baseUrl),
    );
    express.stop();
    return measured;
  });
}

async function startExpress() {
  const bundle = join(sharedFolders().bundles, 'express.cjs');
  await bundleExpress('server', bundle);
  const child = fork(bundle);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('Express has not started')));
  const [address] = await Promise.race([once(child, 'message'), ended]);
  return { baseUrl: `http://127.0.0.1:${(address as AddressInfo).port}`, stop: () => child.kill() };
}

/** Begins when the purges of the turn before are done. */
async function millisecondsOfPurge({ apiKey, propertyId }: Demo, baseUrl: string): Promise<number> {
  await eventually(isQueueEmpty, Boolean);
  const api = new ApiClient(baseUrl, apiKey);
  const numbers = Array.from({ length: purges }, (_, number) => number);
  const startedAt = performance.now();
  await inParallel(numbers, atOnce, async (number) => {
    const { status, text } = await api.post(`/api/property/${propertyId}/purge`, {
      type: 'url',
      urls: [`/${number}`],
    });
    if (status !== 200) throw new Error(text);
  });
  return (performance.now() - startedAt) / purges;
}
