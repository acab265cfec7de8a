import { expect, test } from 'vitest';
import { volume } from '../../support/volume.ts';
import { explore } from './explore.ts';
import { type Deviation, type State, start } from './lagging-edge-model.ts';

type Bounds = Pick<State, 'catchUpsLeft' | 'crashesLeft' | 'changesLeft'>;

function twoPurges(bounds: Bounds): State {
  return { ...start, ...bounds, deliveriesLeft: { 1: 1, 2: 1 } };
}

/** The second was done before. */
function onePurge(deliveries: number, bounds: Bounds): State {
  return {
    ...start,
    ...bounds,
    deliveriesLeft: { 1: deliveries, 2: 0 },
    isAcknowledged: { ...start.isAcknowledged, 2: true },
    progress: { ...start.progress, 2: { shield: 'done', edge: 'done' } },
    applied: { ...start.applied, 2: { shield: true, edge: true } },
  };
}

const crashing = onePurge(1, { catchUpsLeft: 2, crashesLeft: 1, changesLeft: 2 });
const restless = onePurge(1, { catchUpsLeft: 2, crashesLeft: 0, changesLeft: 3 });
const together = twoPurges({ catchUpsLeft: 2, crashesLeft: 0, changesLeft: 1 });
const deliveredTwice = onePurge(2, { catchUpsLeft: 2, crashesLeft: 0, changesLeft: 4 });
const deniedOnce = onePurge(2, { catchUpsLeft: 0, crashesLeft: 0, changesLeft: 2 });

const small: Readonly<Record<string, State>> = {
  'one purge, a crash': crashing,
  'one purge, edges that come and go': restless,
  'two purges': together,
  'a second delivery': deniedOnce,
};

const large: Readonly<Record<string, State>> = {
  'a second delivery, a crash, catch-ups': onePurge(2, { catchUpsLeft: 2, crashesLeft: 1, changesLeft: 2 }),
  'a second delivery, edges that come and go': onePurge(2, {
    catchUpsLeft: 2,
    crashesLeft: 0,
    changesLeft: 3,
  }),
  'two purges, a crash': twoPurges({ catchUpsLeft: 1, crashesLeft: 1, changesLeft: 1 }),
};

const isFull = volume(0, 1) === 1;
const worlds = Object.entries({ ...small, ...(isFull && large) });

test.each(worlds)('%s: in no order of the steps is a purge lost or untrue', (name, world) => {
  const { states, fault } = explore(world);
  console.log(`${name}: ${states} states`);
  expect(fault).toBeUndefined();
});

/** What each step is for: without it a purge is lost, or shown as done where it is not. */
const deviations: Readonly<Record<keyof Deviation, State>> = {
  versionIsACounter: together,
  deletesWithoutCondition: together,
  bumpsOnlyNewRows: together,
  keepsSinceOfTheFirstBump: together,
  deletesWhileAShieldIsWaitedFor: restless,
  completesShieldBeforeBumpingBelow: crashing,
  countsResponsesBeforeTheShield: crashing,
  acknowledgesBeforeBumping: crashing,
  bumpsBelowBeforeReopening: restless,
  completesDeniedShieldInConsumer: deniedOnce,
  deniesShieldThatIsCaughtUp: deliveredTwice,
};

test.each(Object.entries(deviations))('a protocol that %s is at fault', (deviation, world) => {
  expect(explore(world, { [deviation]: true }).fault).toMatch(/^purge/);
});
