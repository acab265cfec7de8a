import { expect, test } from 'vitest';
import { freePort } from '../../../infra/local/host/listen.ts';
import { eventually } from '../../support/eventually.ts';
import { describeConfiguredEdge } from './configured-edge-contract.ts';
import { ConfiguredNode } from './support/configured-node.ts';
import { describeNode } from './support/node-kit.ts';
import { TlsKit } from './support/tls-kit.ts';

describeNode('The edge node', () => {
  const configured = new ConfiguredNode(new TlsKit());
  const bench = describeConfiguredEdge(configured);

  test('why an origin does not respond is in the log', async () => {
    const closed = `http://127.0.0.1:${await freePort()}`;
    const nowhere = 'http://nowhere.invalid:80';
    for (const url of [closed, nowhere])
      expect((await bench.ask(await bench.site(bench.fresh(), { origin: { url } }))).status).toBe(502);
    await eventually(
      async () => configured.node.output(),
      (output) =>
        output.includes(`haproxy: no response of ${closed}, which account account has: 503 SC`) &&
        output.includes(
          `haproxy: no response of ${nowhere}, which account account has: 503 PR-- not-resolved`,
        ),
    );
  });
});
