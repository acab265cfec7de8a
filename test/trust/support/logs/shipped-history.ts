import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { eventually } from '../../../support/eventually.ts';
import { drawn } from '../seed.ts';
import type { Tally } from '../tally.ts';
import { type LogLine, logLine, longLine, type Scene } from './log-lines.ts';
import type { LogModel } from './log-model.ts';
import type { SpooledLog } from './spooled-log.ts';

const linesOfStep = 40;
const filler = Buffer.from(`{"ts":1,"h":"nobody.example.com","u":"/${'x'.repeat(12_000)}"}`);
/** As long as nothing at all may arrive, however much there is to send. */
const patience = 60_000;

/** What happens to a log and its shipper, one after the other. */
const step = fc.record({
  what: fc.constantFrom('write', 'write', 'write', 'segment', 'kill', 'kill', 'away', 'back'),
  milliseconds: fc.nat(200),
});

/** Plays a history, and waits until all that was written has arrived, or for as long as it may take. */
export async function playHistory(
  log: SpooledLog,
  steps: number,
  scene: Scene,
  model: LogModel,
  tally: Tally,
): Promise<void> {
  const line = fc.oneof({ weight: 20, arbitrary: logLine }, { weight: 1, arbitrary: longLine });
  const lines = fc.sample(line, drawn(steps * linesOfStep)).map((makeLine) => makeLine(scene));
  let written = 0;
  const write = (): void => {
    const some = lines.slice(written, written + linesOfStep);
    written += some.length;
    log.write(some.map(bytesOf));
    log.fill(filler);
    model.count(some);
    tally.tried(some.length);
  };
  await log.start();
  for (const { what, milliseconds } of fc.sample(step, drawn(steps))) {
    if (what === 'write') write();
    if (what === 'segment') log.beginSegment();
    if (what === 'kill') await log.restartShipper();
    if (what === 'away' || what === 'back') log.api.isAway = what === 'away';
    await sleep(milliseconds);
  }
  log.api.isAway = false;
  await log.restartShipper();
  write();
  await expectAll(log, lines.slice(0, written), tally);
}

async function expectAll(log: SpooledLog, lines: readonly LogLine[], tally: Tally): Promise<void> {
  const taken = () => [...log.api.taken.values()].flatMap((batch) => batch.lines);
  const arrived = () => taken().filter((line) => line !== filler.toString()).length;
  await untilStandstill(
    async () => taken().length,
    () => arrived() >= lines.length,
  );
  const difference = arrived() - lines.length;
  if (difference !== 0)
    tally.found(difference > 0 ? 'doubled' : 'lost', `${arrived()} of ${lines.length} lines have arrived`);
  for (const [key, batch] of log.api.taken)
    if (batch.told !== batch.lines.length)
      tally.found('wrong', `${batch.told} of ${batch.lines.length} lines of ${key}`);
}

async function untilStandstill(count: () => Promise<number>, isEnough: () => boolean): Promise<void> {
  for (let before = -1; !isEnough() && (await count()) > before; ) {
    before = await count();
    await eventually(count, (now) => now > before || isEnough(), patience).catch(() => undefined);
  }
}

function bytesOf({ text }: LogLine): Buffer {
  return Buffer.from(text, 'latin1');
}
