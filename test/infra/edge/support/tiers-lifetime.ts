import { expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { type ConfigBench, ruleOf, wish } from './config-bench.ts';
import { contentOf } from './edge-client.ts';

const ttl = (seconds: number) => ({ rules: [ruleOf({ type: 'cacheTtl', seconds })] });

/** What is in two caches lives no longer than in one. */
export function countsTimeOnce(bench: ConfigBench): void {
  countsWhatCachesTook(bench);
  asksAndSaysOnce(bench);
}

function countsWhatCachesTook(bench: ConfigBench): void {
  test('a rule’s time counts from the origin’s response, though the origin says another', async () => {
    const seconds = 4;
    const hostname = await bench.site(bench.fresh(), ttl(seconds));
    const uncached = wish({ 'cache-control': 'no-cache' });
    const old = contentOf(await bench.ask(hostname, '/', uncached)).epoch;
    await eventually(
      async () => {
        await bench.purgeEdge(hostname);
        return Number((await bench.ask(hostname, '/', uncached)).headers.age);
      },
      (age) => age >= 2,
    );
    bench.origin.epoch += 1;
    const ages: number[] = [];
    await eventually(
      () => bench.ask(hostname, '/', uncached),
      (response) => {
        const isOld = contentOf(response).epoch === old;
        if (isOld) ages.push(Number(response.headers.age));
        return !isOld;
      },
    );
    expect(ages.filter((age) => age > seconds)).toEqual([]);
  });

  test.each([
    ['what has been in another cache for longer than a rule’s time', 60, { age: '100' }, true],
    [
      'what has been there for longer than it says',
      undefined,
      { age: '100', 'cache-control': 'max-age=60' },
      false,
    ],
    [
      'what has been there for as long as it says but a minute',
      undefined,
      { age: '100', 'cache-control': 'max-age=160' },
      true,
    ],
  ])('%s', async (_, seconds, headers, isKept) => {
    const hostname = await bench.site(bench.fresh(), seconds === undefined ? {} : ttl(seconds));
    expect(await bench.isStored(hostname, '/', wish(headers))).toBe(isKept);
  });
}

function asksAndSaysOnce(bench: ConfigBench): void {
  test('many who ask at once for a page that varies by what rules set are one request to the origin', async () => {
    const rules = [ruleOf({ type: 'setRequestHeader', name: 'X-Real-IP', value: 'ruled' })];
    const hostname = await bench.site(bench.fresh(), { rules });
    const before = bench.origin.requests;
    const ask = () => bench.ask(hostname, '/', wish({ vary: 'X-Real-IP' }));
    await Promise.all(Array.from({ length: 10 }, ask));
    await bench.purgeEdge(hostname);
    await Promise.all(Array.from({ length: 10 }, ask));
    expect(bench.origin.requests - before).toBe(1);
  });

  test('a browser’s time is set once, by the tier that it asks', async () => {
    const hostname = await bench.site(bench.fresh(), { cache: { browserTtlSeconds: 1000 } });
    const said = wish({ 'cache-control': 'max-age=60' });
    for (const isHit of [false, true]) {
      const response = await bench.ask(hostname, '/', said);
      expect([response.isHit, response.headers['cache-control']]).toEqual([isHit, 'max-age=1000']);
    }
    await bench.site(bench.fresh());
    await bench.purgeEdge(hostname);
    expect((await bench.ask(hostname, '/', said)).headers['cache-control']).toBe('max-age=1000');
  });
}
