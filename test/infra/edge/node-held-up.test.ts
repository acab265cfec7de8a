import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { backends } from '../../../shared/edge/backends.ts';
import { volume } from '../../support/volume.ts';
import { beginFetch, useBench } from './support/bench.ts';
import { race } from './support/contract-race.ts';
import { type Ask, contentOf } from './support/edge-client.ts';
import { describeNode, nodeFolder, startNode } from './support/node-kit.ts';

const heldUpMilliseconds = 100;
const lastStep = 'call check_guard;';
const recheck = 'call recheck_guard;';

/**
 * The kit, whose fetches wait between the guard's check and the storing, as on a machine without a free core. Who
 * fetched what is below /slow/ waits once more before its own check, and so does who says to be late.
 */
function heldUpKit(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-edge-kit-'));
  cpSync(nodeFolder, folder, { recursive: true });
  const file = `${folder}/varnish/edge.vcl`;
  const vcl = readFileSync(file, 'utf8');
  expect(vcl).toContain(lastStep);
  expect(vcl).toContain(recheck);
  const slow = `if (obj.hits == 0 && req.restarts == 0 && req.url ~ "^/slow/") { vtc.sleep(1s); }`;
  const late = `if (req.restarts == 0) { vtc.sleep(std.duration(req.http.x-late + "ms", 0s)); }`;
  writeFileSync(
    file,
    vcl
      .replace(lastStep, `${lastStep} vtc.sleep(${heldUpMilliseconds}ms);`)
      .replace(recheck, `${slow} ${late} ${recheck}`),
  );
  return folder;
}

const purgeCount = volume(200, 400);

describeNode('An edge whose fetches are held up while they store', () => {
  let kit = '';
  const bench = useBench({
    name: 'Varnish',
    async start(origin, secret) {
      kit = heldUpKit();
      return startNode({ backend: origin }, secret, { kit });
    },
  });
  afterAll(() => rmSync(kit, { recursive: true, force: true }));

  /** @returns the fetch that was held up, which brings what the purge is to take away */
  const purgeWhileHeldUp = async (ask: Ask) => {
    const held = await beginFetch(bench(), ask);
    await sleep(heldUpMilliseconds / 4);
    bench().origin.epoch += 1;
    await bench().purge({ type: 'url', soft: false, hostnames: [ask.hostname], values: [ask.target] });
    return held;
  };

  test('who asks while a fetch from before the purge is held up waits for it, and does not get its response', async () => {
    const ask = { hostname: 'held-up.example', target: '/' };
    const { response } = await purgeWhileHeldUp(ask);
    const waiting = await Promise.all([1, 2, 3].map(() => bench().client.epoch(ask)));
    expect(waiting).toEqual(Array(3).fill(bench().origin.epoch));
    expect(contentOf(await response).epoch).toBe(bench().origin.epoch - 1);
  });

  test('who has found the object of a held up fetch when another one purges it gets no old content', async () => {
    const ask = { hostname: 'held-up.example', target: '/slow/found' };
    const { response } = await purgeWhileHeldUp(ask);
    const late = [1, 3, 3, 3, 3, 3, 3, 3].map((times) => ({ 'x-late': String(times * heldUpMilliseconds) }));
    const epochs = await Promise.all(late.map((headers) => bench().client.epoch({ ...ask, headers })));
    expect(epochs).toEqual(late.map(() => bench().origin.epoch));
    expect(contentOf(await response).epoch).toBe(bench().origin.epoch - 1);
  });

  test('who finds the object of a held up fetch before the fetching request has checked it gets no old content', async () => {
    const ask = { hostname: 'held-up.example', target: '/slow/' };
    const { response } = await purgeWhileHeldUp(ask);
    await sleep(2 * heldUpMilliseconds);
    expect(await bench().client.epoch(ask)).toBe(bench().origin.epoch);
    expect(contentOf(await response).epoch).toBe(bench().origin.epoch - 1);
    expect(await bench().client.epoch(ask)).toBe(bench().origin.epoch);
  });

  test('a refresh that is held up brings no old content back, although no request waits for it', async () => {
    const ask = { hostname: 'held-up.example', target: '/refresh', wish: { delayMilliseconds: 20 } };
    await bench().client.epoch(ask);
    await bench().purge({ type: 'url', soft: true, hostnames: [ask.hostname], values: ['/refresh'] });
    expect(await bench().client.epoch(ask)).toBe(bench().origin.epoch);
    await sleep(20 + heldUpMilliseconds / 4);
    bench().origin.epoch += 1;
    await bench().purge({ type: 'url', soft: false, hostnames: [ask.hostname], values: ['/refresh'] });
    await sleep(2 * heldUpMilliseconds);
    expect(await bench().client.epoch(ask)).toBe(bench().origin.epoch);
  });

  test(`${purgeCount} purges: nothing stale once the fetches are over`, async () => {
    const shape = {
      purges: purgeCount,
      atOnce: 16,
      delayMilliseconds: [0, 5],
      purgeMilliseconds: 2 * heldUpMilliseconds,
    } as const;
    expect(await race(bench(), backends.varnish, shape)).toMatchObject({ later: 0 });
  });
});
