import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { freePort, listen } from '../../../infra/local/host/listen.ts';
import { closeServer } from '../../../infra/local/host/stops.ts';

test('a free port is none that the system gives to connections, which could take it meanwhile', async () => {
  const [least] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split('\t');
  for (let tried = 0; tried < 100; tried += 1) expect(await freePort()).toBeLessThan(Number(least));
});

test('a port that is in use is refused, and the server can listen on another one', async () => {
  const [taken, other] = [createServer(), createServer()];
  const port = await listen(taken, 0, 'a port');
  await expect(listen(other, port, 'PORT')).rejects.toThrow(`Port ${port} cannot be used`);
  expect(await listen(other, 0, 'a port')).not.toBe(port);
  await Promise.all([closeServer(taken), closeServer(other)]);
});
