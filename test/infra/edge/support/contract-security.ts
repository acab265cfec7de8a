import { beforeEach, expect, test } from 'vitest';
import type { Backend } from '../../../../shared/edge/backends.ts';
import { hostKey, urlKey } from '../../../../shared/edge/cache-keys.ts';
import { immediateDrivers } from '../../../../shared/edge/immediate-drivers.ts';
import type { Bench } from './bench.ts';
import { rawRequest } from './raw-request.ts';
import { words } from './words.ts';

const hostname = 'www.victim.example';
const page = { hostname, target: '/', wish: { headers: { 'surrogate-key': 'tag' } } };
const all = { type: 'all', soft: false, hostnames: [hostname], values: [] } as const;
const denied = { name: 'EdgeFailure', kind: 'denied' };

/** Where there is no secret an address is what is obeyed, and the tests have the same as the driver. */
export function obeysNobodyElse(bench: () => Bench, { types, hasSecret }: Backend): void {
  beforeEach(async () => {
    await bench().client.ask(page);
    expect(await bench().client.isHit(page)).toBe(true);
  });

  test.runIf(hasSecret)('a purge and a check with another secret: denied, and nothing is gone', async () => {
    const { edge } = bench().running;
    const { prepare, check } = immediateDrivers[edge.driver];
    const guessed = { ...edge, secret: 'guess' };
    await expect(prepare(all)(guessed)).rejects.toMatchObject(denied);
    await expect(check(guessed)).rejects.toMatchObject(denied);
    expect(await bench().client.isHit(page)).toBe(true);
  });

  test.runIf(hasSecret).each(words('PURGE PURGEALL BAN REFRESH'))(
    '%s without a secret: nothing is gone',
    async (method) => {
      await rawRequest(bench().running.baseUrl, [`${method} / HTTP/1.1`, `Host: ${hostname}`]);
      expect(await bench().client.isHit(page)).toBe(true);
    },
  );

  test('a check changes nothing', async () => {
    const { edge } = bench().running;
    expect(await immediateDrivers[edge.driver].check(edge)).toMatch(/\w/);
    expect(await bench().client.isHit(page)).toBe(true);
  });

  test('neither a client nor an origin names keys of another tenant', async () => {
    const keys = `${hostKey(hostname)} ${urlKey(hostname, '/')}`;
    const forged = { xkey: keys, 'x-hashtwo': keys, 'x-forwarded-host': hostname };
    const mine = {
      hostname: 'mine.example',
      target: '/',
      headers: { ...forged, 'surrogate-key': 'client' },
      wish: { headers: forged },
    };
    await bench().client.ask(mine);
    await bench().purge(all);
    if (types.tag)
      await bench().purge({ type: 'tag', soft: false, hostnames: ['mine.example'], values: ['client'] });
    expect([await bench().client.isHit(mine), await bench().client.isHit(page)]).toEqual([true, false]);
  });
}
