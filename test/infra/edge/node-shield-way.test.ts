import { connect } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { useConfigBench } from './support/config-bench.ts';
import { ConfiguredTiers } from './support/configured-tiers.ts';
import { contentOf } from './support/edge-client.ts';
import { addressOf } from './support/listen.ts';
import { describeNode } from './support/node-kit.ts';
import { TestAuthority } from './support/test-authority.ts';

/** Ends the TLS of edges in front of a shield, at `localhost`. */
class SecureWay {
  /** Which edges have asked for, one for each connection. */
  readonly names: (string | false | null | undefined)[] = [];
  /** From which the shield is connected to. */
  localAddress = '127.0.0.1';
  private readonly sockets = new Set<TLSSocket>();
  private target = new URL('http://nowhere.invalid');
  private readonly server = createServer((socket) => this.join(socket));

  /** @returns where edges find it */
  async leadTo(shieldUrl: string): Promise<string> {
    this.target = new URL(shieldUrl);
    const { port } = new URL(await addressOf(this.server));
    return `https://localhost:${port}`;
  }

  use(certificate: ReturnType<TestAuthority['certify']>): void {
    this.server.setSecureContext(certificate);
  }

  closeConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  stop(): void {
    this.closeConnections();
    this.server.close();
  }

  private join(socket: TLSSocket): void {
    this.names.push(socket.servername);
    this.sockets.add(socket);
    const { hostname: host, port } = this.target;
    const onward = connect({ host, port: Number(port), localAddress: this.localAddress });
    socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  }
}

describeNode('The way from an edge to its shield', () => {
  const authority = new TestAuthority();
  const way = new SecureWay();
  const tiers = new ConfiguredTiers(
    async (shieldUrl) => way.leadTo(shieldUrl),
    ['--ca-file', authority.certificateFile],
  );
  const bench = useConfigBench(tiers);
  afterAll(() => {
    way.stop();
    authority.remove();
  });

  test('over TLS is closed to whoever does not prove the shield’s name', async () => {
    const stranger = new TestAuthority();
    const hostname = await bench.site(bench.fresh());
    for (const certificate of [authority.certify('DNS:other.example'), stranger.certify('DNS:localhost')]) {
      way.use(certificate);
      expect((await bench.ask(hostname)).status).toBe(502);
    }
    expect(bench.origin.requests).toBe(0);
    stranger.remove();
  });

  test('over TLS names the shield, and keeps its connections', async () => {
    way.use(authority.certify('DNS:localhost'));
    const hostname = await bench.site(bench.fresh());
    const before = way.names.length;
    for (let page = 0; page < 20; page += 1)
      expect(contentOf(await bench.ask(hostname, `/${page}`)).target).toBe(`/${page}`);
    const names = way.names.slice(before);
    expect([names.length < 5, new Set(names)]).toEqual([true, new Set(['localhost'])]);
  });

  test('leads nowhere where the shield does not know the edge: nothing is stored, and the log says why', async () => {
    const hostname = await bench.site(bench.fresh());
    way.localAddress = '127.0.0.2';
    way.closeConnections();
    expect((await bench.ask(hostname, '/page')).status).toBe(502);
    await eventually(
      async () => tiers.edge.node.output(),
      (output) => /haproxy: no response of the shield for .* not-in-its-edge-from$/m.test(output),
    );
    way.localAddress = '127.0.0.1';
    way.closeConnections();
    const response = await bench.ask(hostname, '/page');
    expect([response.isHit, contentOf(response).target]).toEqual([false, '/page']);
  });
});
