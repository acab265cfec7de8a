import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { volume } from '../../support/volume.ts';
import { secret, useBench } from './support/bench.ts';
import { describeNode, startNode } from './support/node-kit.ts';
import { partMemory } from './support/part-memory.ts';
import { TlsKit } from './support/tls-kit.ts';
import { TlsLoad } from './support/tls-load.ts';

const hostname = 'load.example';
const changes = volume(4, 100);
const pairs = volume(100, 1_000);

/** As an operator copies two files, and as certbot renews: the pair is not whole in between. */
const kinds = [
  (tls: TlsKit, number: number) => {
    const { key, cert } = tls.certify([hostname], { endsAt: endOf(number) });
    tls.write('copied.crt', cert);
    tls.write('copied.key', key);
    return cert;
  },
  (tls: TlsKit, number: number) => {
    const { key, cert } = tls.certify([hostname], { endsAt: endOf(number) });
    mkdirSync(join(tls.folder, hostname), { recursive: true });
    for (const [kind, text] of [
      ['fullchain', cert],
      ['privkey', key],
    ] as const) {
      const link = join(tls.folder, hostname, `${kind}.pem`);
      tls.write(`.archive/${kind}${number}.pem`, text);
      rmSync(link, { force: true });
      symlinkSync(`../.archive/${kind}${number}.pem`, link);
    }
    return cert;
  },
];

/** Each ends later than the one before. */
function endOf(number: number): Date {
  return new Date(Date.now() + (48 + number) * 3_600_000);
}

describeNode('A node that listens for TLS', () => {
  const tls = new TlsKit();
  useBench({
    name: 'The edge node',
    async start(backend, key) {
      tls.put('first.pem', [hostname]);
      return startNode({ backend }, key, { flags: await tls.flags() });
    },
  });
  afterAll(() => tls.remove());

  const certificateOf = (name: string) => tls.certificateOf(name).catch(String);

  test(`${changes} changes of a certificate under load fail no handshake and no request`, async () => {
    const load = new TlsLoad(tls, hostname);
    const times: number[] = [];
    for (let number = 0; number < changes; number += 1) {
      const next = kinds[number % kinds.length]?.(tls, number);
      const startedAt = performance.now();
      await eventually(
        () => certificateOf(hostname),
        (seen) => seen === next,
      );
      times.push(performance.now() - startedAt);
    }
    await load.end();
    const [median, longest] = [0.5, 1].map(
      (part) => times.sort((a, b) => a - b)[Math.ceil(changes * part) - 1],
    );
    console.log(
      `${changes} changes, used after ${median?.toFixed(0)} ms, at most ${longest?.toFixed(0)} ms: ${load.faults.length} of ${load.handshakes} handshakes and ${load.requests} requests failed`,
    );
    expect(load.faults).toEqual([]);
    expect(load.handshakes).toBeGreaterThan(changes);
  });
});

describeNode('A node with many certificates', () => {
  const tls = new TlsKit();
  afterAll(() => tls.remove());

  test(`${pairs} of them: each is shown`, async () => {
    const names = Array.from({ length: pairs }, (_, number) => `many-${number}.example`);
    const certificates = names.map((name, number) => tls.put(`many-${number}.pem`, [name]));
    const flags = await tls.flags();
    const startedAt = performance.now();
    const node = await startNode({ backend: 'http://127.0.0.1:9' }, secret, { flags });
    const took = performance.now() - startedAt;
    const memory = [partMemory(node.process.pid ?? 0)];
    for (const [number, name] of names.entries())
      expect(await tls.certificateOf(name)).toBe(certificates[number]);
    memory.push(partMemory(node.process.pid ?? 0));
    await node.stop();
    console.log(`${pairs} certificates: started after ${took.toFixed(0)} ms; ${memory.join(' → ')}`);
  });
});
