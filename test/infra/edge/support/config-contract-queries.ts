import { expect, test } from 'vitest';
import { type ConfigBench, ruleOf } from './config-bench.ts';
import { contentOf } from './edge-client.ts';

export function reducesQueries(bench: ConfigBench): void {
  sharesResponses(bench);
  purgesWhatIsShared(bench);
}

function sharesResponses(bench: ConfigBench): void {
  const isShared = async (hostname: string, one: string, other: string): Promise<boolean> => {
    await bench.ask(hostname, one);
    return (await bench.ask(hostname, other)).isHit;
  };

  test.each<[mode: 'include' | 'ignore' | 'allow' | 'deny', string, string, boolean]>([
    ['include', '/?b=2&a=1', '/?a=1&b=2', true],
    ['include', '/?a=1', '/', false],
    ['ignore', '/?a=1', '/?z', true],
    ['allow', '/?a=1&z=1', '/?z=2&a=1', true],
    ['allow', '/?a=1', '/?a=1&z=2', true],
    ['allow', '/?a=1', '/?a=2', false],
    ['deny', '/?a=1&z=1', '/?z=1', true],
    ['deny', '/?%61=1', '/', true],
    ['deny', '/?z=1', '/?z=2', false],
    ['deny', '/?a+b=1&z', '/?z', false],
  ])('%s: %s and %s share a response: %s', async (mode, one, other, expected) => {
    const hostname = await bench.site(bench.fresh(), { cache: { queryString: { mode, names: ['a'] } } });
    expect(await isShared(hostname, one, other)).toBe(expected);
  });

  test('a rule goes before the mode, and the origin is asked for the whole query', async () => {
    const rules = [ruleOf({ type: 'ignoreQueryString', names: ['utm'] })];
    const hostname = await bench.site(bench.fresh(), { rules });
    expect(contentOf(await bench.ask(hostname, '/?utm=1&a=1')).target).toBe('/?utm=1&a=1');
    expect((await bench.ask(hostname, '/?a=1&utm=2')).isHit).toBe(true);
  });
}

function purgesWhatIsShared(bench: ConfigBench): void {
  test.each(['ignore', 'allow', 'deny'] as const)(
    'mode %s: a purge by URL takes what any visitor of that URL gets',
    async (mode) => {
      const hostname = await bench.site(bench.fresh(), { cache: { queryString: { mode, names: ['a'] } } });
      for (const target of ['/x?a=1&b=2', '/x', '/x?b=2', '/x?a=1']) {
        await bench.ask(hostname, '/x?a=1');
        await bench.ask(hostname, '/x?b=2');
        await bench.ask(hostname, '/y?b=2');
        await bench.purge({ type: 'url', hostnames: [hostname], values: [target] });
        expect([target, (await bench.ask(hostname, target)).isHit]).toEqual([target, false]);
        expect((await bench.ask(hostname, '/y?b=2')).isHit).toBe(true);
      }
    },
  );

  test('mode include: a purge by URL takes exactly that URL', async () => {
    const hostname = await bench.site(bench.fresh());
    for (const target of ['/x', '/x?a', '/x?b']) await bench.ask(hostname, target);
    expect(await bench.purge({ type: 'url', hostnames: [hostname], values: ['/x?a'] })).toBe(1);
    expect((await bench.ask(hostname, '/x?b')).isHit).toBe(true);
  });

  test('what was stored under one mode is not served under another', async () => {
    const id = bench.fresh();
    const hostname = await bench.site(id);
    await bench.ask(hostname, '/x');
    await bench.site(id, { cache: { queryString: { mode: 'ignore', names: [] } } });
    expect((await bench.ask(hostname, '/x')).isHit).toBe(false);
  });

  test('an edge that has not named the new kind of key is not sent it', async () => {
    const hostname = await bench.site(bench.fresh(), {
      cache: { queryString: { mode: 'ignore', names: [] } },
    });
    await bench.ask(hostname, '/x?a=1');
    const purge = { type: 'url', hostnames: [hostname], values: ['/x?b'] } as const;
    expect(await bench.purge(purge, 'h,u,p,t')).toBe(0);
    expect(await bench.purge(purge)).toBe(1);
  });
}
