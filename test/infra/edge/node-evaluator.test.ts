import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installed } from '../../support/installed.ts';
import { volume } from '../../support/volume.ts';
import { derivedCase } from './support/derived-case.ts';
import { luaFolder } from './support/node-nginx.ts';
import { NodeVisits } from './support/node-visits.ts';
import { type PlantedFault, plantedFaults } from './support/planted-faults.ts';

const cases = volume(1_000, 20_000);
const casesOfFault = 3_000;
const leastCaught = 19;

const isWithNginx = installed('/usr/sbin/nginx', '-v');

function judgeAll(visits: NodeVisits, numRuns: number): Promise<void> {
  return fc.assert(
    fc.asyncProperty(derivedCase, (given) => visits.judge(given)),
    { numRuns, seed: 20_261_122, endOnFailure: true },
  );
}

describe.skipIf(!isWithNginx)('The node’s nginx', () => {
  const visits = new NodeVisits();
  beforeAll(() => visits.start());
  afterAll(() => visits.stop());

  test(`${cases} generated cases: it does what rules/test says`, async () => {
    await judgeAll(visits, cases);
    expect(Object.entries(visits.seen).filter(([, number]) => number === 0)).toEqual([]);
    expect(visits.nginx.complaints()).toBe('');
  });
});

/** Whether the cases tell a faulty nginx from a right one. */
async function isCaught({ file, right, wrong }: PlantedFault): Promise<boolean> {
  const lua = mkdtempSync(join(tmpdir(), 'cdn-node-fault-'));
  cpSync(luaFolder, lua, { recursive: true });
  const text = readFileSync(join(lua, file), 'utf8');
  expect(text.split(right)).toHaveLength(2);
  writeFileSync(
    join(lua, file),
    text.replace(right, () => wrong),
  );
  const visits = new NodeVisits();
  await visits.start(lua);
  const isPassed = await judgeAll(visits, casesOfFault).then(
    () => true,
    () => false,
  );
  await visits.stop();
  rmSync(lua, { recursive: true });
  return !isPassed;
}

describe.runIf(isWithNginx && process.env.TEST_VOLUME === 'all')('Faults in the Lua', () => {
  test(`at least ${leastCaught} of ${plantedFaults.length}, planted one by one, are caught`, async () => {
    const missed: PlantedFault[] = [];
    for (const fault of plantedFaults) if (!(await isCaught(fault))) missed.push(fault);
    const caught = plantedFaults.length - missed.length;
    expect(caught, `missed: ${JSON.stringify(missed)}`).toBeGreaterThanOrEqual(leastCaught);
  });
});
