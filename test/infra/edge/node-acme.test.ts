import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CompiledRule } from '../../../shared/rule/compiled-rule.ts';
import { configDocument } from './support/config-documents.ts';
import { ConfiguredNode } from './support/configured-node.ts';
import { EdgeClient } from './support/edge-client.ts';
import { describeNode } from './support/node-kit.ts';
import { rawRequest } from './support/raw-request.ts';
import { TlsKit } from './support/tls-kit.ts';

const prefix = '/.well-known/acme-challenge';
const token = 'Aa0_-token';
const proof = `${token}.of the account`;
const none = 'There is no such challenge.\n';

const rule = (type: 'block' | 'forceHttps'): CompiledRule => ({
  id: 'rule',
  name: 'Rule',
  match: 'all',
  conditions: [],
  actions: [{ type }],
  isFinal: type === 'block',
});

describeNode('A node with a folder of challenges', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-acme-'));
  const tls = new TlsKit();
  const configured = new ConfiguredNode(tls);
  let http: EdgeClient;
  let https: EdgeClient;
  beforeAll(async () => {
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, token), proof);
    tls.put('all.pem', ['any.example', '*.example']);
    await configured.start({ flags: ['--acme-dir', folder] });
    await configured.write(configDocument({ propertyId: 'blocked', rules: [rule('block')] }));
    await configured.write(configDocument({ propertyId: 'forced', rules: [rule('forceHttps')] }));
    await configured.write(configDocument({ propertyId: 'paused', status: 'paused' }));
    http = new EdgeClient(configured.node.baseUrl);
    https = tls.client('any.example');
  });
  afterAll(async () => {
    await Promise.all([http.stop(), https.stop()]);
    await configured.stop();
    rmSync(folder, { recursive: true });
  });
  const send = (line: string) => rawRequest(configured.node.baseUrl, [`${line} HTTP/1.1`, 'Host: a.example']);
  const bodyOf = (response: string) => response.split('\r\n\r\n')[1];

  test('shows one for every host, before any rule, by http and by https', async () => {
    const hosts = [
      'blocked.example',
      'forced.example',
      'paused.example',
      'unknown.example',
      'single',
      '[::1]',
    ];
    for (const hostname of hosts)
      for (const client of [http, https]) {
        const { status, headers, body } = await client.ask({ hostname, target: `${prefix}/${token}` });
        expect([hostname, status, headers['content-type'], body]).toEqual([
          hostname,
          200,
          'text/plain',
          proof,
        ]);
      }
    expect((await http.ask({ hostname: 'blocked.example', target: '/' })).status).toBe(403);
  });

  test('shows a new one at once, whole, whatever is asked of it', async () => {
    writeFileSync(join(folder, 'new'), proof);
    const hostname = 'new.example';
    const conditions: readonly Record<string, string>[] = [
      {},
      { range: 'bytes=0-1' },
      { 'if-modified-since': new Date().toUTCString() },
    ];
    for (const headers of conditions) {
      const { status, body } = await http.ask({ hostname, target: `${prefix}/new?query`, headers });
      expect([status, body]).toEqual([200, proof]);
    }
    const head = await http.ask({ hostname, target: `${prefix}/new`, method: 'HEAD' });
    expect([head.status, head.headers['content-length']]).toEqual([200, String(proof.length)]);
    rmSync(join(folder, 'new'));
    expect((await http.ask({ hostname, target: `${prefix}/new` })).status).toBe(404);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PURGE'])('by %s is none there', async (method) => {
    const response = await send(`${method} ${prefix}/${token}`);
    expect([response.split(' ')[1], bodyOf(response)]).toEqual(['404', none]);
  });

  test('shows nothing else of the disk', async () => {
    writeFileSync(join(folder, 'with.dot'), 'other');
    writeFileSync(join(folder, '.hidden'), 'other');
    writeFileSync(join(folder, 'closed'), 'other', { mode: 0o600 });
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'folder', 'file'), 'other');
    symlinkSync(join(configured.node.dir, 'secret'), join(folder, 'link'));
    symlinkSync(configured.node.dir, join(folder, 'links'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const names = [
      '',
      'with.dot',
      '.hidden',
      'folder',
      'folder/',
      'folder/file',
      'link',
      'links/secret',
      'pipe',
    ];
    const others = ['none', `${token}/`, `${token}x`, `${token}%20`, '%c3%a9', `./${token}/..`];
    for (const name of [...names, ...others]) {
      const response = await send(`GET ${prefix}/${name}`);
      expect([name, response.split(' ')[1], bodyOf(response)]).toEqual([name, '404', none]);
      expect(response).not.toMatch(/^location:/im);
    }
    if (process.getuid?.() === 0) expect(await send(`GET ${prefix}/closed`)).toMatch(/^HTTP\/1.1 404 /);
  });

  test.each([
    `${prefix}/../../${token}`,
    `${prefix}/..%2f..%2fetc%2fpasswd`,
    `${prefix}/${token}%00`,
    prefix,
  ])('%s is no challenge', async (target) => {
    const response = await send(`GET ${target}`);
    expect(response).not.toContain(none);
    expect(response).toMatch(/^HTTP\/1.1 40[04] /);
  });
});
