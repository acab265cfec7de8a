import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../../infra/local/host/listen.ts';

const edgeCount = 200;
const requestsToEach = 10;
const script = join(import.meta.dirname, '../../support/ask-edges.ts');

let servers: Server[];
let urls: string[];

beforeAll(async () => {
  servers = Array.from({ length: edgeCount }, () => createServer((_, response) => response.end('well')));
  const ports = await Promise.all(servers.map((server) => listen(server, 0, '')));
  urls = ports.map((port) => `http://127.0.0.1:${port}`);
});
afterAll(() => {
  for (const server of servers) server.close();
});

/** As in a Lambda environment. */
test('1,024 files are enough for any number of requests to any number of edges', async () => {
  const { stdout } = await promisify(execFile)('/bin/sh', [
    '-c',
    'ulimit -n 1024; exec "$@"',
    'sh',
    process.execPath,
    script,
    `${requestsToEach}`,
    ...urls,
  ]);
  expect(JSON.parse(stdout)).toEqual({ responded: edgeCount * requestsToEach, reasons: [] });
});
