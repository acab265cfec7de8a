import { createServer } from 'node:http';
import { listen } from '../../../infra/local/host/listen.ts';

/** Edges that respond to every purge at once, in a process of their own, so that their work is not taken for the caller's. */
const count = Number(process.argv[2]);
const ports = await Promise.all(
  Array.from({ length: count }, () =>
    listen(
      createServer((_, response) => response.end('{"removed":1}')),
      0,
      'a port',
    ),
  ),
);
process.send?.({ ports });
