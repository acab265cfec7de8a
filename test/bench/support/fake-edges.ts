import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { listen } from '../../../infra/local/host/listen.ts';
import { headers } from '../../../shared/edge/purge-protocol.ts';
import { isMistreated, type Mood, slowMilliseconds } from '../../support/moods.ts';
import { now } from '../../support/unix-time.ts';

/** Edges that speak the purge protocol and take their time, in a thread of their own; each tells what it purged. */
const { delaysMilliseconds } = workerData as { readonly delaysMilliseconds: readonly number[] };

let moods: readonly Mood[] = [];
parentPort?.on('message', (latest: readonly Mood[]) => {
  moods = latest;
});

const ports = await Promise.all(
  delaysMilliseconds.map((delay, edge) => {
    const server = createServer((request, response) => {
      const mood = moods[edge] ?? 'well';
      if (isMistreated(mood, request, response)) return;
      const keys = String(request.headers[headers.keys]);
      setTimeout(
        () => {
          if (keys) parentPort?.postMessage({ edge, keys, at: now() });
          response.end('{"removed":1}');
        },
        mood === 'slow' ? slowMilliseconds : delay,
      );
    });
    return listen(server, 0, 'a port');
  }),
);
parentPort?.postMessage({ ports });
