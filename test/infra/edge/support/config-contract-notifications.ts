import { request } from 'undici';
import { expect, test } from 'vitest';
import { headers as names, type PurgeMode, sign } from '../../../../shared/edge/purge-protocol.ts';
import { eventually } from '../../../support/eventually.ts';
import type { ConfigBench } from './config-bench.ts';
import { configSecret } from './configured-edge.ts';

export function obeysNotifications(bench: ConfigBench): void {
  const send = async (mode: PurgeMode, time: number, keys: string, signature?: string) => {
    const right = sign(configSecret, { time, mode, keys });
    const pairs = { [names.time]: String(time), [names.mode]: mode, [names.keys]: keys };
    const { statusCode, body } = await request(bench.baseUrl, {
      method: 'PURGE',
      headers: { ...pairs, [names.signature]: signature ?? right },
    });
    return [statusCode, statusCode === 200 ? await body.json() : await body.dump()];
  };
  const now = () => Math.floor(Date.now() / 1000);
  const polls = (count: number) =>
    eventually(
      async () => bench.edge.polls,
      (seen) => seen === count,
    );

  test('a signed one polls, once; a forged, a stale and a replayed one do nothing', async () => {
    const [time, before] = [now(), bench.edge.polls];
    expect(await send('poll', time, 'one')).toEqual([200, { removed: 0 }]);
    await polls(before + 1);
    expect(await send('poll', time, 'one')).toEqual([200, { removed: 0 }]);
    const borrowed = sign(configSecret, { time, mode: 'poll', keys: 'one' });
    const guessed = sign('guess', { time, mode: 'poll', keys: 'guess' });
    expect((await send('poll', time, 'other', borrowed))[0]).toBe(401);
    expect((await send('poll', time, 'guess', guessed))[0]).toBe(401);
    expect((await send('poll', time - 62, 'old'))[0]).toBe(401);
    await send('poll', time, 'two');
    await polls(before + 2);
  });

  test('one removes nothing, and a check or a purge does not poll', async () => {
    const hostname = await bench.site(bench.fresh());
    await bench.ask(hostname);
    const before = bench.edge.polls;
    await send('poll', now(), `h/${hostname}`);
    expect((await bench.ask(hostname)).isHit).toBe(true);
    await send('check', now(), '');
    await send('soft', now(), 'h/other.example');
    await polls(before + 1);
  });
}
