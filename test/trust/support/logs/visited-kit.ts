import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { inParallel } from '../../../../shared/ground/parallel.ts';
import { hostileRequest, hostileRequestTo } from '../../../infra/edge/support/hostile-request.ts';
import { sendRaw } from '../../../infra/edge/support/raw-request.ts';
import { type ShippingBench, warmUpHost } from '../../../infra/edge/support/shipping-bench.ts';
import { eventually } from '../../../support/eventually.ts';
import { drawn } from '../seed.ts';
import type { Tally } from '../tally.ts';

const atOnce = 16;
const requestsOfStep = 50;
const patience = 90_000;

/** Longer than what a record of the log holds, so that few of them are sent at once. */
const filler = { hostname: warmUpHost, target: `/${'x'.repeat(2_000)}` };
const fillersAtOnce = 200;

const visit = (hosts: readonly string[]) =>
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(...hosts)
        .map((host) => ({ host, bytes: `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n` })),
    },
    { weight: 2, arbitrary: hostileRequest.map((bytes) => ({ host: '', bytes })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...hosts)
        .chain((host) => hostileRequestTo(fc.constant(host)).map((bytes) => ({ host, bytes }))),
    },
  );

/** Lets visitors write into the log of a kit while its shipper has trouble; @returns the requests of each host */
export async function visitThroughTrouble(
  bench: ShippingBench,
  hosts: readonly string[],
  steps: number,
  tally: Tally,
): Promise<ReadonlyMap<string, number>> {
  const visits = fc.sample(visit(hosts), drawn(steps * requestsOfStep));
  const trouble = fc.sample(fc.constantFrom('kill', 'away', 'back', 'none'), drawn(steps));
  await bench.untilLogged();
  for (const [index, what] of trouble.entries()) {
    const some = visits.slice(index * requestsOfStep, (index + 1) * requestsOfStep);
    await inParallel(some, atOnce, ({ bytes }) => sendRaw(bench.edgeUrl, bytes));
    tally.tried(some.length);
    if (what === 'kill') await bench.restartShipper();
    if (what === 'away' || what === 'back') bench.api.isAway = what === 'away';
  }
  bench.api.isAway = false;
  await bench.restartShipper();
  await expectLines(bench, visits.length, tally);
  const ofHost = Map.groupBy(visits, ({ host, bytes }) => (isHttp(bytes) ? host : ''));
  return new Map(hosts.map((host) => [host, ofHost.get(host)?.length ?? 0]));
}

/** Else the edge refuses it before it has read for which host it is. */
function isHttp(bytes: string): boolean {
  const [, path] = /^[A-Z_-]+ ([^ ?]*)/.exec(bytes) ?? [];
  return path !== undefined && !/%00|%(?![0-9A-Fa-f]{2})/.test(path);
}

async function expectLines(bench: ShippingBench, expected: number, tally: Tally): Promise<void> {
  const ofOthers = new RegExp(`"h":"${warmUpHost}"|"m":"TRACE"`);
  const arrived = () =>
    [...bench.api.taken.values()].flatMap(({ lines }) => lines).filter((line) => !ofOthers.test(line)).length;
  const fill = async () => {
    await Promise.all(Array.from({ length: fillersAtOnce }, () => bench.client.ask(filler)));
    await sleep(100);
    return arrived();
  };
  await eventually(fill, (count) => count >= expected, patience).catch(() => undefined);
  const difference = arrived() - expected;
  if (difference !== 0)
    tally.found(difference > 0 ? 'doubled' : 'lost', `${arrived()} lines of ${expected} requests`);
  for (const [key, batch] of bench.api.taken)
    if (batch.told !== batch.lines.length)
      tally.found('wrong', `${batch.told} of ${batch.lines.length} lines of ${key}`);
}
