import { expect, test } from 'vitest';
import { freePort } from '../../../infra/local/host/listen.ts';
import type { Condition } from '../../../shared/rule/condition.ts';
import { eventually } from '../../support/eventually.ts';
import { describeConfiguredEdge } from './configured-edge-contract.ts';
import { certifiedDomain, ruleOf } from './support/config-bench.ts';
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

  test('forceHttps leads to https, where it ends, and what follows is told apart by its scheme', async () => {
    const hostname = `forced${certifiedDomain}`;
    const isSecure: Condition = { field: 'scheme', operator: 'equals', values: ['https'], negate: false };
    const seen = { type: 'setResponseHeader', name: 'X-Secure', value: 'yes' } as const;
    const rules = [ruleOf({ type: 'forceHttps' }), { ...ruleOf(seen), id: 'secure', conditions: [isSecure] }];
    await bench.site(bench.fresh(), { hostnames: [{ hostname, claimedAt: 1 }], rules });
    for (const method of ['GET', 'POST'] as const) {
      const first = await bench.ask(hostname, '/a?b', { method });
      expect([first.status, first.headers['x-secure']]).toEqual([308, undefined]);
      expect(first.headers.location).toBe(`https://${hostname}/a?b`);
      for (const number of [1, 2]) {
        const next = await bench.visitor(number).client.ask({ hostname, target: '/a?b', method });
        expect([next.status, next.headers['x-secure']]).toEqual([200, 'yes']);
      }
    }
    expect(bench.origin.lastHeaders['x-forwarded-proto']).toBe('https');
  });
});
