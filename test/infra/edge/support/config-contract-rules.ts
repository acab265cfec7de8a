import { expect, test } from 'vitest';
import type { Action } from '../../../../shared/rule/action.ts';
import { type ConfigBench, ruleOf, wish } from './config-bench.ts';
import { contentOf } from './edge-client.ts';

export function appliesRules(bench: ConfigBench): void {
  respondsItself(bench);
  changesMessages(bench);
}

function respondsItself(bench: ConfigBench): void {
  test('block is 403, and asks no origin', async () => {
    const before = bench.origin.requests;
    const hostname = await ruledSite(
      bench,
      { type: 'block' },
      { type: 'setResponseHeader', name: 'X-Why', value: 'ruled' },
    );
    const { status, headers } = await bench.ask(hostname);
    expect([status, headers['x-why'], bench.origin.requests]).toEqual([403, 'ruled', before]);
  });

  test('redirect and forceHttps name where to', async () => {
    const redirect = await bench.ask(
      await ruledSite(bench, { type: 'redirect', location: '/new?x', status: 302 }),
    );
    expect([redirect.status, redirect.headers.location]).toEqual([302, '/new?x']);
    const hostname = await ruledSite(bench, { type: 'forceHttps' });
    const forced = await bench.ask(hostname, '/a%2fb?b&a');
    expect([forced.status, forced.headers.location]).toEqual([308, `https://${hostname}/a%2fb?b&a`]);
  });
}

function changesMessages(bench: ConfigBench): void {
  test('a rewritten path is asked with the query, and tells responses apart', async () => {
    const id = bench.fresh();
    const rewrite = (path: string) => ({ rules: [ruleOf({ type: 'rewritePath', path })] });
    const hostname = await bench.site(id, rewrite('/one'));
    expect(contentOf(await bench.ask(hostname, '/page?a=1')).target).toBe('/one?a=1');
    await bench.site(id, rewrite('/two'));
    expect(contentOf(await bench.ask(hostname, '/page?a=1')).target).toBe('/two?a=1');
    await bench.purge({ type: 'url', hostnames: [hostname], values: ['/page?a=1'] });
    expect((await bench.ask(hostname, '/page?a=1')).isHit).toBe(false);
  });

  test('headers of the request are set and removed, and tell responses apart', async () => {
    const id = bench.fresh();
    const set = (value: string): Action => ({ type: 'setRequestHeader', name: 'X-Set', value });
    const remove: Action = { type: 'removeRequestHeader', name: 'Accept-Language' };
    const hostname = await bench.site(id, { rules: [ruleOf(set('1'), remove)] });
    const language = { headers: { 'accept-language': 'de', 'x-set': 'visitor' } };
    await bench.ask(hostname, '/', language);
    expect(bench.origin.lastHeaders['x-set']).toBe('1');
    expect(bench.origin.lastHeaders).not.toHaveProperty('accept-language');
    expect((await bench.ask(hostname)).isHit).toBe(true);
    await bench.site(id, { rules: [ruleOf(set('2'), remove)] });
    expect((await bench.ask(hostname)).isHit).toBe(false);
  });

  test.each(['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto'])(
    '%s, which the edge itself says, is set and removed as others are',
    async (name) => {
      const seen = async (action: Action): Promise<unknown> => {
        expect((await bench.ask(await ruledSite(bench, action))).status).toBe(200);
        return bench.origin.lastHeaders[name.toLowerCase()];
      };
      expect([
        await seen({ type: 'setRequestHeader', name, value: 'ruled' }),
        await seen({ type: 'removeRequestHeader', name }),
      ]).toEqual(['ruled', undefined]);
    },
  );

  test('headers of the response are set and removed, whatever was stored', async () => {
    const id = bench.fresh();
    const hostname = await bench.site(id);
    const origin = wish({ server: 'origin', 'x-kept': 'yes' });
    expect((await bench.ask(hostname, '/', origin)).headers.server).toBe('origin');
    const remove: Action = { type: 'removeResponseHeader', name: 'Server' };
    await bench.site(id, {
      rules: [ruleOf(remove, { type: 'setResponseHeader', name: 'X-Kept', value: 'no' })],
    });
    const { isHit, headers } = await bench.ask(hostname, '/', origin);
    expect([isHit, headers.server, headers['x-kept']]).toEqual([true, undefined, 'no']);
  });

  test('a cookie that a rule keeps from the origin does not keep a response from being stored', async () => {
    const hostname = await ruledSite(bench, { type: 'removeRequestHeader', name: 'Cookie' });
    expect(await bench.isStored(hostname, '/', { headers: { cookie: 'a=b' } })).toBe(true);
  });
}

function ruledSite(bench: ConfigBench, ...actions: readonly Action[]): Promise<string> {
  return bench.site(bench.fresh(), { rules: [ruleOf(...actions)] });
}
