import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../aws/unavailable.ts';
import type { PurgeKey } from './purge.ts';
import type { Purge } from './purge-record.ts';
import { readPurge, readPurgeTouches } from './read-purge.ts';

const firstPauseMilliseconds = 20;
const longestPauseMilliseconds = 250;

type PurgeState = Pick<Purge, 'status' | 'edges'>;

export const waitForPurgeTouches = readPurgeTouches;

/**
 * Waits until a purge is completed or failed, at the longest for so many seconds.
 * @returns where it stood when it was last read; a purge that was accepted is at least queued
 */
export async function waitForPurge(key: PurgeKey, seconds: number): Promise<PurgeState> {
  const deadline = performance.now() + seconds * 1000;
  let state: PurgeState = { status: 'queued', edges: [] };
  for (let pause = firstPauseMilliseconds; ; pause = Math.min(pause * 1.5, longestPauseMilliseconds)) {
    state = (await readState(key)) ?? state;
    const left = deadline - performance.now();
    if (isEnded(state) || left <= 0) return state;
    await sleep(Math.min(pause, left));
  }
}

/** The purge is accepted whatever the database does now, so that a read that fails is only tried again. */
async function readState(key: PurgeKey): Promise<PurgeState | undefined> {
  try {
    const purge = await readPurge(key, new Date());
    return purge && { status: purge.status, edges: purge.edges };
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}

function isEnded({ status }: PurgeState): boolean {
  return status === 'completed' || status === 'failed';
}
