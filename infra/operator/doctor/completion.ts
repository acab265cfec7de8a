import { setTimeout as sleep } from 'node:timers/promises';
import { Purge } from '../../../shared/purge/purge-record.ts';
import { ask, requireStatus } from './ask.ts';
import type { Check } from './check.ts';
import type { Examined } from './examined.ts';

const pauseMilliseconds = 100;

type Seen = Pick<Purge, 'status' | 'edges'>;

export const completion: Check = {
  name: 'completion',
  run: async (examined) => {
    const { status, edges } = await lastSeen(examined);
    if (status === 'completed')
      return edges.length > 0
        ? `The purge was completed at ${edges.map(({ id }) => id).join(', ')}.`
        : 'The purge was completed; there is no edge yet to bring it to.';
    const { limitSeconds } = examined;
    const late = `The purge is ${status} after ${limitSeconds} s, and CloudFront takes minutes (--timeout 600). operator status shows queues and failed work.`;
    throw new Error([status === 'failed' ? 'The purge failed.' : late, ...edges.flatMap(faultOf)].join(' '));
  },
};

/** The purge when it has ended, or when the time is over. */
async function lastSeen(examined: Examined): Promise<Seen> {
  const { signal } = examined;
  const [address] = await examined.addresses();
  const { path } = await examined.purge();
  const { key } = await examined.key();
  let seen: Seen = { status: 'queued', edges: [] };
  while (!signal.aborted && seen.status !== 'completed' && seen.status !== 'failed') {
    seen = await read(address + path, key, signal).catch((error: unknown) => {
      if (signal.aborted) return seen;
      throw error;
    });
    if (seen.status !== 'completed') await sleep(pauseMilliseconds);
  }
  return seen;
}

async function read(url: string, key: string, signal: AbortSignal): Promise<Seen> {
  const response = await ask(url, { key, signal });
  requireStatus(response, 200);
  return Purge.parse(response.envelope.data);
}

function faultOf({ id, status, lastError }: Seen['edges'][number]): readonly string[] {
  if (status === 'completed') return [];
  const reason = lastError ? ` (${lastError})` : '';
  return [`Edge ${id} is ${status}${reason}: operator edge check --id ${id}.`];
}
