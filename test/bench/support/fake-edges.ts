import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { listen } from '../../../infra/local/host/listen.ts';
import { headers } from '../../../shared/edge/purge-protocol.ts';
import type { Mood } from '../../support/recording-edge.ts';

/** Edges that speak the purge protocol and take their time, in a thread of their own; each tells what it purged. */
const { delaysMilliseconds } = workerData as { readonly delaysMilliseconds: readonly number[] };

const slowMilliseconds = 2_000;
let moods: readonly Mood[] = [];
parentPort?.on('message', (latest: readonly Mood[]) => {
  moods = latest;
});

function now(): number {
  return performance.timeOrigin + performance.now();
}

const ports = await Promise.all(
  delaysMilliseconds.map((delay, edge) => {
    const server = createServer((request, response) => {
      const mood = moods[edge] ?? 'well';
      if (mood === 'hanging') return;
      if (mood === 'refusing') return void request.socket.destroy();
      if (mood === 'error') return void response.writeHead(500).end();
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
