import { expect, test } from 'vitest';
import { freePort } from '../../../../infra/local/host/listen.ts';
import { eventually } from '../../../support/eventually.ts';
import { type ConfigBench, ruleOf } from './config-bench.ts';
import { contentOf } from './edge-client.ts';

export function servesItsHosts(bench: ConfigBench): void {
  appliesAtOnce(bench);
  changesHands(bench);
}

function appliesAtOnce(bench: ConfigBench): void {
  test('an unknown host is 404, a paused property 503 with Retry-After, a deleted one 404', async () => {
    const id = bench.fresh();
    for (const unknown of [`${id}.example`, 'single', 'a_b.example'])
      expect((await bench.ask(unknown)).status).toBe(404);
    const hostname = await bench.site(id);
    expect((await bench.ask(hostname)).status).toBe(200);
    await bench.site(id, { status: 'paused' });
    const paused = await bench.ask(hostname);
    expect([paused.status, paused.headers['retry-after']]).toEqual([503, '60']);
    await bench.remove(id);
    expect((await bench.ask(hostname)).status).toBe(404);
  });

  test('a change applies to all host names at once', async () => {
    const id = bench.fresh();
    const hostnames = ['a', 'b', 'c'].map((label) => ({ hostname: `${label}.${id}.example`, claimedAt: 1 }));
    await bench.site(id, { hostnames });
    const waiting = hostnames.map(({ hostname }) => bench.ask(hostname, '/', { wish: { isHeld: true } }));
    await isHeld(bench, hostnames.length);
    await bench.site(id, { hostnames, status: 'paused' });
    const statuses = await Promise.all(
      hostnames.map(async ({ hostname }) => (await bench.ask(hostname)).status),
    );
    bench.origin.release();
    expect([statuses, (await Promise.all(waiting)).map(({ status }) => status)]).toEqual([
      [503, 503, 503],
      [200, 200, 200],
    ]);
  });
}

function changesHands(bench: ConfigBench): void {
  test.each([true, false])(
    'of two claims the later one holds, whichever came last: %s',
    async (isLastLater) => {
      const hostname = `${bench.fresh()}.example`;
      const claims = isLastLater ? [1, 2] : [2, 1];
      for (const claimedAt of claims) {
        const rules = [ruleOf({ type: 'setResponseHeader', name: 'X-Claim', value: String(claimedAt) })];
        await bench.site(bench.fresh(), { hostnames: [{ hostname, claimedAt }], rules });
      }
      expect((await bench.ask(hostname)).headers['x-claim']).toBe('2');
    },
  );

  test('a host name that changes hands shows nothing of the old tenant, not what was in flight either', async () => {
    const hostname = `${bench.fresh()}.example`;
    const [old, next] = [bench.fresh(), bench.fresh()];
    const stale = { staleIfErrorSeconds: 1000, staleWhileRevalidateSeconds: 1000 };
    await bench.site(old, { hostnames: [{ hostname, claimedAt: 1 }], cache: stale });
    for (const target of ['/', '/later']) expect(await bench.isStored(hostname, target)).toBe(true);
    const inFlight = bench.ask(hostname, '/slow', { wish: { isHeld: true } });
    await isHeld(bench, 1);
    bench.origin.epoch += 1;
    await bench.site(next, { hostnames: [{ hostname, claimedAt: 2 }], cache: stale });
    await bench.remove(old);
    bench.origin.release();
    await inFlight;
    for (const target of ['/', '/slow']) {
      const response = await bench.ask(hostname, target);
      expect([response.isHit, contentOf(response).epoch]).toEqual([false, bench.origin.epoch]);
    }
    const failing = await bench.ask(hostname, '/later', { wish: { status: 503 } });
    expect([failing.status, failing.isHit]).toEqual([503, false]);
  });
}

export function asksItsOrigin(bench: ConfigBench): void {
  test('is asked with the visitor’s host and spelling, or with the host header that is set', async () => {
    const id = bench.fresh();
    const hostname = await bench.site(id);
    const spelled = '/%7euser//a%2fb/?b=2&a=%c3%a9';
    const content = contentOf(await bench.ask(hostname, spelled));
    expect([content.hostname, content.target]).toEqual([hostname, spelled]);
    await bench.site(id, { origin: { url: `${bench.originUrl}/base`, hostHeader: 'inner.example:81' } });
    const inner = contentOf(await bench.ask(hostname, '/page?x'));
    expect([inner.hostname, inner.target]).toEqual(['inner.example:81', '/base/page?x']);
    expect(bench.origin.lastHeaders['x-forwarded-host']).toBe(hostname);
  });

  test('that is away is 502, with the headers that rules set', async () => {
    const rules = [ruleOf({ type: 'setResponseHeader', name: 'X-Ruled', value: 'yes' })];
    const hostname = await bench.site(bench.fresh(), {
      origin: { url: `http://127.0.0.1:${await freePort()}` },
      rules,
    });
    const { status, headers } = await bench.ask(hostname);
    expect([status, headers['x-ruled']]).toEqual([502, 'yes']);
  });

  test.each(['/../a', '/a/%2e%2E/b', '/a/.', '/a\\b', '/..%2fa'])(
    '%s is 400 and asks no origin',
    async (target) => {
      const hostname = await bench.site(bench.fresh());
      const before = bench.origin.requests;
      expect([(await bench.ask(hostname, target)).status, bench.origin.requests]).toEqual([400, before]);
    },
  );
}

export function knowsLoops(bench: ConfigBench): void {
  /** Makes a site whose origin is the edge itself, for another site. */
  const leadTo = (next: string, propertyId = bench.fresh()): Promise<string> =>
    bench.site(propertyId, { origin: { url: bench.baseUrl, hostHeader: next } });

  test('a site may be the origin of another, and each says that it was asked', async () => {
    const [first, second] = [bench.fresh(), bench.fresh()];
    const hostname = await leadTo(await bench.site(second), first);
    const headers = { 'cdn-loop': 'other.example; a=b' };
    expect((await bench.ask(hostname, '/', { headers })).status).toBe(200);
    expect(bench.origin.lastHeaders['cdn-loop']).toBe(`other.example; a=b, ${first}, ${second}`);
  });

  test.each(['GET', 'POST'] as const)(
    '%s: two sites that are each other’s origin are 508',
    async (method) => {
      const id = bench.fresh();
      const hostname = await bench.site(id);
      await leadTo(await leadTo(hostname), id);
      const { status, body } = await bench.ask(hostname, '/', { method });
      expect([status, body]).toEqual([508, 'The origin leads back to this site.\n']);
    },
  );

  test('more than 8 sites in a row are 508', async () => {
    const hostname = await bench.site(bench.fresh());
    const statusAfter = async (count: number) =>
      (await bench.ask(hostname, '/', { headers: { 'cdn-loop': Array(count).fill('a').join(',') } })).status;
    expect([await statusAfter(8), await statusAfter(9)]).toEqual([200, 508]);
  });
}

async function isHeld({ origin }: ConfigBench, requests: number): Promise<void> {
  await eventually(
    async () => origin.held,
    (held) => held === requests,
  );
}
