import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mood } from '../../support/moods.ts';
import { processTree } from '../../support/process-tree.ts';
import type { RecordingEdge } from '../../support/recording-edge.ts';

const moods: readonly Mood[] = ['well', 'error', 'refusing', 'slow', 'hanging'];
const longestStopMilliseconds = 5_000;
const pauseMilliseconds = 8_000;

/**
 * Edges fail in one way or another, and the database stands still for moments, while it is wanted.
 * @param isWanted asked every few seconds
 */
export function startFaults(program: number, edges: readonly RecordingEdge[], isWanted: () => boolean) {
  const database = databaseOf(program);
  let isEnded = false;
  const running = (async () => {
    while (!isEnded) {
      for (const edge of edges) setMood(edge, isWanted());
      if (isWanted()) await standStill(database);
      await sleep(pauseMilliseconds);
    }
    for (const edge of edges) setMood(edge, false);
  })();
  return async () => {
    isEnded = true;
    await running;
  };
}

function setMood(edge: RecordingEdge, mayFail: boolean): void {
  const mood = mayFail ? (moods[Math.floor(Math.random() * moods.length)] ?? 'well') : 'well';
  edge.mood = () => mood;
}

async function standStill(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await sleep(Math.random() * longestStopMilliseconds);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

function databaseOf(program: number): number {
  const found = processTree(program).find(
    (pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'dynoxide\n',
  );
  if (found === undefined) throw new Error(`${program} has no database`);
  return found;
}
