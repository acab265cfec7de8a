import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { listen } from '../../infra/local/listen.ts';
import { headers } from '../../shared/edge/purge-protocol.ts';

/** Edges that speak the purge protocol and take their time, in a thread of their own; each tells what it purged. */
const { delaysMilliseconds } = workerData as { readonly delaysMilliseconds: readonly number[] };

const now = (): number => performance.timeOrigin + performance.now();

const ports = await Promise.all(
  delaysMilliseconds.map((delay, edge) => {
    const server = createServer((request, response) => {
      const keys = String(request.headers[headers.keys]);
      setTimeout(() => {
        parentPort?.postMessage({ edge, keys, at: now() });
        response.end('{"removed":1}');
      }, delay);
    });
    return listen(server, 0, 'a port');
  }),
);
parentPort?.postMessage({ ports });
