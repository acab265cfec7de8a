import { expect, test } from 'vitest';
import type { Action } from '../../../../shared/rule/action.ts';
import { type ConfigBench, ruleOf, wish } from './config-bench.ts';

const cacheTtl = { type: 'cacheTtl', seconds: 60 } as const;

export function keepsWhatItMay(bench: ConfigBench): void {
  test.each<[string, number, Record<string, string>, readonly Action[], boolean]>([
    ['the property’s time, where the origin says nothing', 60, {}, [], true],
    ['nothing for a time of 0', 0, {}, [], false],
    ['the origin’s own time', 0, { 'cache-control': 'max-age=60' }, [], true],
    ['the origin’s time of 0', 60, { 'cache-control': 'max-age=0' }, [], false],
    ['the origin’s no-cache', 60, { 'cache-control': 'no-cache' }, [], false],
    ['the origin’s date in the past', 60, { expires: '0' }, [], false],
    ['the origin’s date to come', 0, { expires: 'Tue, 31 Dec 2199 00:00:00 GMT' }, [], true],
    ['a rule’s time before max-age', 60, { 'cache-control': 'max-age=0' }, [cacheTtl], true],
    ['a rule’s time before no-cache', 60, { 'cache-control': 'no-cache' }, [cacheTtl], true],
    ['a rule’s time of 0', 60, { 'cache-control': 'max-age=60' }, [{ ...cacheTtl, seconds: 0 }], false],
    ['private, whatever a rule says', 60, { 'cache-control': 'private' }, [cacheTtl], false],
    ['no-store, whatever a rule says', 60, { 'cache-control': 'no-store' }, [cacheTtl], false],
    ['Set-Cookie, whatever a rule says', 60, { 'set-cookie': 'a=b' }, [cacheTtl], false],
    ['nothing that varies by all', 60, { vary: 'Accept-Encoding, *' }, [cacheTtl], false],
    ['nothing past the cache', 60, { 'cache-control': 'max-age=60' }, [{ type: 'bypassCache' }], false],
  ])('%s', async (_, ttlSeconds, headers, actions, isKept) => {
    const rules = actions.length > 0 ? [ruleOf(...actions)] : [];
    const hostname = await bench.site(bench.fresh(), { cache: { ttlSeconds }, rules });
    expect(await bench.isStored(hostname, '/', wish(headers))).toBe(isKept);
  });

  test.each<[number | null, Record<string, string>, string | undefined]>([
    [null, { 'cache-control': 'max-age=7' }, 'max-age=7'],
    [0, { 'cache-control': 'max-age=7' }, 'max-age=0'],
    [300, { 'cache-control': 'max-age=7', expires: '0' }, 'max-age=300'],
    [300, { 'cache-control': 'private, max-age=7' }, 'private, max-age=300'],
    [300, { 'cache-control': 'no-store' }, 'no-store'],
    [300, {}, 'max-age=300'],
  ])('by browsers: for the setting %s and %j it is %s', async (browserTtlSeconds, headers, cacheControl) => {
    const hostname = await bench.site(bench.fresh(), { cache: { browserTtlSeconds } });
    await bench.ask(hostname, '/', wish(headers));
    const response = await bench.ask(hostname, '/', wish(headers));
    expect(response.headers['cache-control']).toBe(cacheControl);
    const isSet = cacheControl !== headers['cache-control'];
    expect(['age', 'expires'].filter((name) => response.headers[name] !== undefined)).toEqual(
      isSet ? [] : ['age'],
    );
  });

  test('an error of the origin gets no time from the edge', async () => {
    const hostname = await bench.site(bench.fresh(), { cache: { browserTtlSeconds: 300 } });
    expect((await bench.ask(hostname, '/', wish({}, 500))).headers).not.toHaveProperty('cache-control');
  });
}
