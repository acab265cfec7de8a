import { afterAll, expect, test } from 'vitest';
import { useBench } from './support/bench.ts';
import { describeNode, startNode } from './support/node-kit.ts';
import { TlsKit } from './support/tls-kit.ts';

describeNode('A node that listens for TLS', () => {
  const tls = new TlsKit();
  const bench = useBench({
    name: 'The edge node',
    async start(backend, key) {
      tls.put('one.pem', ['one.example']);
      return startNode({ backend }, key, { flags: await tls.flags() });
    },
  });
  afterAll(() => tls.remove());

  test('serves the name of a certificate', async () => {
    const client = tls.client('one.example');
    const { status } = await client.ask({ hostname: 'one.example', target: '/' });
    expect([status, bench().origin.lastHeaders['x-forwarded-proto']]).toEqual([200, 'https']);
    await client.stop();
  });
});
