import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { processTree } from '../../support/process-tree.ts';
import { useBench } from './support/bench.ts';
import { addressOf } from './support/listen.ts';
import { describeNode, type RunningNode, startNode } from './support/node-kit.ts';
import { partsOf } from './support/node-parts.ts';
import { rawRequest, sendRaw } from './support/raw-request.ts';
import { TestAuthority } from './support/test-authority.ts';
import { shownBy, TlsKit } from './support/tls-kit.ts';

/** Sends a request as its only one; @returns the status and the whole response */
async function exchange(socket: TLSSocket, hostname: string, target = '/') {
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
  const response = await text(socket);
  return { status: Number(response.split(' ')[1]), response };
}

/** What a browser begins a handshake with. */
async function firstMessage(): Promise<Buffer> {
  const listener = createServer();
  const { port } = new URL(await addressOf(listener));
  const visitor = connect({ port: Number(port), servername: 'one.example' }).on('error', () => undefined);
  const [socket]: Socket[] = await once(listener, 'connection');
  const [message]: Buffer[] = socket ? await once(socket, 'data') : [];
  visitor.destroy();
  listener.close();
  return message ?? Buffer.alloc(0);
}

const noCertificate = /alert number 40/;

describeNode('A node that listens for TLS', () => {
  const tls = new TlsKit();
  const below = new TestAuthority(tls.authority);
  let node: RunningNode;
  const bench = useBench({
    name: 'The edge node',
    async start(backend, key) {
      const { cert, key: leafKey } = below.certify('DNS:chain.example');
      tls.write('chain.pem', cert + below.certificate + leafKey);
      tls.put('exact.pem', ['a.wild.example']);
      tls.put('wild.pem', ['*.wild.example'], { endsAt: new Date(Date.now() + 2 * 86_400_000) });
      tls.put('one.pem', ['one.example']);
      tls.put('two.pem', ['two.example']);
      node = await startNode({ backend }, key, { flags: await tls.flags() });
      return node;
    },
  });
  afterAll(() => {
    below.remove();
    tls.remove();
  });

  const certificateOf = (servername: string, options?: ConnectionOptions) =>
    tls.certificateOf(servername, options);
  const fileOf = (name: string) => new X509Certificate(readFileSync(join(tls.folder, name))).toString();
  const isUsed = (servername: string, certificate: string | undefined) =>
    eventually(
      () => certificateOf(servername).catch(() => undefined),
      (seen) => seen === certificate,
    );

  test('shows the certificate of the name, with its whole chain', async () => {
    expect(await certificateOf('chain.example')).toBe(fileOf('chain.pem'));
    expect(await certificateOf('ONE.Example')).toBe(fileOf('one.pem'));
    expect(await certificateOf('two.example', { maxVersion: 'TLSv1.2' })).toBe(fileOf('two.pem'));
  });

  test('a wildcard is for one label, and an exact name goes before it', async () => {
    expect(await certificateOf('b.wild.example')).toBe(fileOf('wild.pem'));
    expect(await certificateOf('a.wild.example')).toBe(fileOf('exact.pem'));
    for (const name of ['wild.example', 'a.b.wild.example', '.wild.example'])
      await expect(certificateOf(name)).rejects.toThrow(noCertificate);
  });

  test('refuses the handshake for a name without a certificate, and without a name, and says nothing of it', async () => {
    const [asked, said] = [bench().origin.requests, node.output()];
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
      for (const name of ['unknown.example', 'example', '']) {
        const trusting = { maxVersion, rejectUnauthorized: false };
        await expect(tls.connect(name, trusting)).rejects.toThrow(noCertificate);
      }
    expect([bench().origin.requests, node.output()]).toEqual([asked, said]);
  });

  test('takes modern versions and ciphers alone', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await isUsed('rsa.example', tls.put('rsa.pem', ['rsa.example'], { key: privateKey }));
    const weak = { ciphers: 'ALL:@SECLEVEL=0', minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
    await expect(tls.connect('one.example', weak)).rejects.toThrow(/alert number 70/);
    const versionOf = async (ciphers: string) => {
      const socket = await tls.connect('rsa.example', { ciphers, maxVersion: 'TLSv1.2' });
      const { name } = socket.getCipher();
      socket.destroy();
      return name;
    };
    for (const cipher of ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'])
      expect(await versionOf(cipher)).toBe(cipher);
    for (const cipher of ['AES128-GCM-SHA256', 'DHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-SHA256'])
      await expect(versionOf(cipher)).rejects.toThrow(noCertificate);
  });

  test('serves each name that has a certificate, on whatever connection, and no other', async () => {
    const statusOf = async (hostname: string) =>
      (await exchange(await tls.connect('one.example'), hostname)).status;
    expect(await statusOf('one.example')).toBe(200);
    expect(await statusOf('ONE.example:443')).toBe(200);
    expect(await statusOf('two.example')).toBe(200);
    const asked = bench().origin.requests;
    for (const hostname of ['unknown.example', 'wild.example', '127.0.0.1', 'a.b.wild.example'])
      expect([hostname, await statusOf(hostname)]).toEqual([hostname, 421]);
    expect(bench().origin.requests).toBe(asked);
  });

  test('tells the origin which scheme the visitor has used, and keeps apart what it says; a purge finds both', async () => {
    const secure = tls.client('one.example');
    const ask = { hostname: 'one.example', target: '/scheme' };
    const { client, origin } = bench();
    await client.ask(ask);
    expect(origin.lastHeaders['x-forwarded-proto']).toBe('http');
    expect((await secure.ask(ask)).isHit).toBe(false);
    expect(origin.lastHeaders['x-forwarded-proto']).toBe('https');
    expect([await client.isHit(ask), await secure.isHit(ask)]).toEqual([true, true]);
    const purge = { type: 'url', soft: false, hostnames: ['one.example'], values: ['/scheme'] } as const;
    expect(await bench().purge(purge)).toEqual({ removed: 2 });
    expect([await client.isHit(ask), await secure.isHit(ask)]).toEqual([false, false]);
    await secure.stop();
  });

  test('what is no TLS is refused, and so is TLS where http is expected', async () => {
    const plain = await rawRequest(tls.baseUrl, ['GET / HTTP/1.1', 'Host: one.example']);
    expect(plain).toMatch(/^HTTP\/1.1 400 [\s\S]*The request cannot be read\.\n$/);
    const http = Number(new URL(node.baseUrl).port);
    await expect(tls.connect('one.example', { port: http })).rejects.toThrow(
      /wrong version number|packet length/,
    );
  });

  test('says nothing of visitors who know no TLS', async () => {
    const greeting = await firstMessage();
    const said = node.output();
    for (let place = 40; place < greeting.length; place += 1) {
      const broken = Buffer.from(greeting);
      broken.writeUInt8(0xff - broken.readUInt8(place), place);
      await sendRaw(tls.baseUrl, broken.toString('latin1'));
    }
    expect(await certificateOf('one.example')).toBe(fileOf('one.pem'));
    expect(node.output()).toBe(said);
  });

  describe('when certificates change', () => {
    test('uses a new one, on new connections', async () => {
      const before = await tls.connect('one.example');
      const next = tls.put('one.pem', ['one.example']);
      await isUsed('one.example', next);
      expect(shownBy(before)).not.toBe(next);
      expect((await exchange(before, 'one.example')).status).toBe(200);
    });

    test('takes the new one at once by SIGHUP', async () => {
      const next = tls.put('one.pem', ['one.example']);
      node.process.kill('SIGHUP');
      await isUsed('one.example', next);
    });

    test('serves a name that has none any more on no connection: not on a kept one, nor on a resumed session', async () => {
      tls.put('gone.pem', ['gone.example']);
      await isUsed('gone.example', fileOf('gone.pem'));
      const kept = tls.client('gone.example', { connections: 1 });
      const ask = { hostname: 'gone.example', target: '/' };
      expect((await kept.ask(ask)).status).toBe(200);
      const sessions: ConnectionOptions[] = [];
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
        const keep = (session: Buffer) => void sessions.push({ session, maxVersion });
        const socket = await tls.connect('gone.example', { maxVersion }, keep);
        expect((await exchange(socket, 'gone.example')).status).toBe(200);
      }
      expect(sessions.length).toBeGreaterThan(1);
      rmSync(join(tls.folder, 'gone.pem'));
      await isUsed('gone.example', undefined);
      await eventually(
        async () => (await kept.ask(ask)).status,
        (status) => status === 421,
      );
      // Another worker may look a second later.
      for (const session of sessions)
        await eventually(
          async () => {
            const socket = await tls.connect('gone.example', session);
            expect(socket.isSessionReused()).toBe(true);
            return (await exchange(socket, 'gone.example')).status;
          },
          (status) => status === 421,
        );
      await kept.stop();
    });

    test.each(['nginx', 'an nginx worker'] as const)(
      'has all of them at once when %s was killed',
      async (part) => {
        const next = tls.put('one.pem', ['one.example']);
        await isUsed('one.example', next);
        const run = node.process.pid ?? 0;
        const before = new Set(processTree(run));
        process.kill(partsOf(run).get(part) ?? 0, 'SIGKILL');
        await eventually(
          async () => processTree(run).filter((pid) => !before.has(pid)).length,
          (started) => started > 0,
        );
        const seen = await eventually(
          () => certificateOf('one.example').catch(() => undefined),
          (certificate) => certificate !== undefined,
        );
        expect(seen).toBe(next);
        const { status } = await exchange(await tls.connect('one.example'), 'one.example');
        expect(status).toBe(200);
      },
    );
  });

  test('keeps keys to itself', async () => {
    expect(statSync(join(node.dir, 'certificates')).mode & 0o777).toBe(0o600);
    const [, key = ''] =
      /PRIVATE KEY-----\n(.{40})/.exec(readFileSync(join(tls.folder, 'two.pem'), 'utf8')) ?? [];
    expect(key).toHaveLength(40);
    const told = processTree(node.process.pid ?? 0).flatMap((process) =>
      ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${process}/${name}`, 'latin1')),
    );
    for (const text of [...told, node.output()]) expect(text.includes(key)).toBe(false);
  });
});
