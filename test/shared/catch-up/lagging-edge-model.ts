/**
 * How purges reach edges that lag, as a small state space: two purges of one property, a shield and an edge below
 * it, messages delivered twice, processes that crash at every step, edges that go away, deny and come back. It has
 * the steps of `shared/delivery` and `shared/catch-up`, each a read, a write or a request; every order is tried.
 */
export type EdgeId = 'shield' | 'edge';
type PurgeId = 1 | 2;

const edges: readonly EdgeId[] = ['shield', 'edge'];
const purges: readonly PurgeId[] = [1, 2];

interface Hint {
  readonly since: PurgeId;
  readonly version: number;
}

/** What came of asking an edge. */
type Response = 'ok' | 'away' | 'denied' | 'spared';
/** `denied`: shown as failed, and caught up all the same; edges below such a shield count without it. */
type Progress = Readonly<Record<EdgeId, 'pending' | 'retrying' | 'denied' | 'done'>>;
type Mood = 'well' | 'away' | 'denying';

interface Consumer {
  readonly kind: 'consumer';
  readonly step: 'read' | 'ask shield' | 'ask edge' | 'store' | 'bump' | 'acknowledge';
  readonly purge: PurgeId;
  readonly isOpen: Readonly<Record<EdgeId, boolean>>;
  readonly before: Progress | null;
  readonly responses: Readonly<Partial<Record<EdgeId, Response>>>;
  readonly toBump: readonly EdgeId[];
  /** The edge below was bumped before the store that completes the shield. */
  readonly hasBumpedBelow: boolean;
}

interface CatchUp {
  readonly kind: 'catch-up';
  readonly step:
    | 'probe'
    | 'read row'
    | 'query'
    | 'ask'
    | 'ask below'
    | 'reopen below'
    | 'bump below'
    | 'store'
    | 'delete row';
  readonly edge: EdgeId;
  readonly row: Hint | null;
  readonly left: readonly PurgeId[];
  /** Of which purges the shield was known to be done when they were read. */
  readonly knownDone: readonly PurgeId[];
  readonly isWaiting: boolean;
  readonly below: Response | null;
}

type Process = Consumer | CatchUp;

export interface State {
  readonly moods: Readonly<Record<EdgeId, Mood>>;
  readonly changesLeft: number;
  /** Of the registry: whether the edge's breaker is open. */
  readonly isOpen: Readonly<Record<EdgeId, boolean>>;
  readonly hints: Readonly<Record<EdgeId, Hint | null>>;
  readonly progress: Readonly<Record<PurgeId, Progress | null>>;
  /** What the edges have really done; the edge below a shield must be purged after it. */
  readonly applied: Readonly<Record<PurgeId, Readonly<Record<EdgeId, boolean>>>>;
  /** How often each purge's message may yet be delivered, and whether it was acknowledged. */
  readonly deliveriesLeft: Readonly<Record<PurgeId, number>>;
  readonly isAcknowledged: Readonly<Record<PurgeId, boolean>>;
  readonly catchUpsLeft: number;
  readonly crashesLeft: number;
  readonly nextVersion: number;
  readonly processes: readonly Process[];
}

/** Deviations from the protocol, each of which must lead to a fault: what its steps are for. */
export interface Deviation {
  readonly versionIsACounter?: boolean;
  readonly deletesWithoutCondition?: boolean;
  readonly deletesWhileAShieldIsWaitedFor?: boolean;
  readonly completesShieldBeforeBumpingBelow?: boolean;
  readonly countsResponsesBeforeTheShield?: boolean;
  readonly acknowledgesBeforeBumping?: boolean;
  readonly bumpsOnlyNewRows?: boolean;
  readonly keepsSinceOfTheFirstBump?: boolean;
  readonly bumpsBelowBeforeReopening?: boolean;
  readonly completesDeniedShieldInConsumer?: boolean;
  readonly deniesShieldThatIsCaughtUp?: boolean;
}

export const start: State = {
  moods: { shield: 'away', edge: 'well' },
  changesLeft: 2,
  isOpen: { shield: false, edge: false },
  hints: { shield: null, edge: null },
  progress: { 1: null, 2: null },
  applied: { 1: { shield: false, edge: false }, 2: { shield: false, edge: false } },
  deliveriesLeft: { 1: 2, 2: 1 },
  isAcknowledged: { 1: false, 2: false },
  catchUpsLeft: 2,
  crashesLeft: 1,
  nextVersion: 1,
  processes: [],
};

/** Every state that one step of the world leads to. */
export function next(state: State, deviation: Deviation): readonly State[] {
  return [
    ...edgesThatComeOrGo(state),
    ...deliveries(state),
    ...catchUps(state),
    ...state.processes.flatMap((process, index) => {
      const others = state.processes.filter((_, other) => other !== index);
      const crashed = state.crashesLeft > 0 ? [crash({ ...state, processes: others }, process)] : [];
      const go = (change: Partial<State>, then?: Process): State => ({
        ...state,
        ...change,
        processes: then ? [...others, then] : others,
      });
      const after =
        process.kind === 'consumer'
          ? consume(state, process, go, deviation)
          : catchUp(state, process, go, deviation);
      return [after, ...crashed];
    }),
  ];
}

/** @returns what is wrong with a state; undefined where nothing is */
export function faultOf(state: State): string | undefined {
  for (const purge of purges) {
    const progress = state.progress[purge];
    for (const edge of edges)
      if (progress?.[edge] === 'done' && progress.shield === 'done' && !state.applied[purge][edge])
        return `purge ${purge} is done on the ${edge}, which has not done it`;
    const isInHand = state.processes.length > 0 || !state.isAcknowledged[purge];
    if (isInHand) continue;
    if (!progress) return `purge ${purge} was acknowledged and is not stored`;
    for (const edge of openOf(progress)) {
      const hint = state.hints[edge];
      if (!(hint && hint.since <= purge)) return `purge ${purge} is open on the ${edge}, and nothing says so`;
    }
  }
  return undefined;
}

function edgesThatComeOrGo(state: State): readonly State[] {
  if (state.changesLeft === 0) return [];
  const changes: readonly (readonly [EdgeId, Mood])[] = [
    ['shield', 'well'],
    ['shield', 'away'],
    ['shield', 'denying'],
    ['edge', 'well'],
    ['edge', 'away'],
  ];
  return changes
    .filter(([edge, mood]) => state.moods[edge] !== mood)
    .map(([edge, mood]) => ({
      ...state,
      changesLeft: state.changesLeft - 1,
      moods: { ...state.moods, [edge]: mood },
    }));
}

function deliveries(state: State): readonly State[] {
  return purges
    .filter((purge) => state.deliveriesLeft[purge] > 0)
    .map((purge) => ({
      ...state,
      deliveriesLeft: { ...state.deliveriesLeft, [purge]: state.deliveriesLeft[purge] - 1 },
      processes: [...state.processes, { ...idle, purge, step: 'read', isOpen: state.isOpen }],
    }));
}

const idle = {
  kind: 'consumer',
  isOpen: start.isOpen,
  before: null,
  responses: {},
  toBump: [],
  hasBumpedBelow: false,
} as const;

/** Messages and the schedule find whoever has a row or an open breaker. */
function catchUps(state: State): readonly State[] {
  if (state.catchUpsLeft === 0) return [];
  return edges
    .filter((edge) => state.hints[edge] || state.isOpen[edge])
    .map((edge) => ({
      ...state,
      catchUpsLeft: state.catchUpsLeft - 1,
      processes: [
        ...state.processes,
        {
          kind: 'catch-up',
          step: 'probe',
          edge,
          row: null,
          left: [],
          knownDone: [],
          isWaiting: false,
          below: null,
        },
      ],
    }));
}

/** A crashed consumer's message comes again; a crashed catch-up's row is still there. */
function crash(state: State, process: Process): State {
  const crashed = { ...state, crashesLeft: state.crashesLeft - 1 };
  if (process.kind === 'catch-up') return crashed;
  const deliveriesLeft = {
    ...state.deliveriesLeft,
    [process.purge]: state.deliveriesLeft[process.purge] + 1,
  };
  return { ...crashed, deliveriesLeft };
}

type Go = (change: Partial<State>, then?: Process) => State;

function consume(state: State, process: Consumer, go: Go, deviation: Deviation): State {
  const { purge, isOpen, responses } = process;
  switch (process.step) {
    case 'read':
      return go({}, { ...process, step: 'ask shield', before: state.progress[purge] });
    case 'ask shield':
    case 'ask edge': {
      const edge = process.step === 'ask shield' ? 'shield' : 'edge';
      const then = edge === 'shield' ? 'ask edge' : 'store';
      if (process.before?.[edge] === 'done') return go({}, { ...process, step: then });
      const asked = ask(state, purge, edge, isOpen[edge]);
      return go(asked.change, {
        ...process,
        step: then,
        responses: { ...responses, [edge]: asked.response },
      });
    }
    case 'store': {
      const stored = state.progress[purge];
      const { shield: own, ...others } = responses;
      const isLeftToCatchUp = stored?.shield === 'denied' && !deviation.completesDeniedShieldInConsumer;
      const counted = isLeftToCatchUp ? others : { shield: own, ...others };
      const progress = merge(stored, counted, process.before?.shield === 'done', deviation);
      const isShieldNew = stored && stored.shield !== 'done' && progress.shield === 'done';
      const completesShield = isShieldNew && progress.edge !== 'done';
      if (completesShield && !process.hasBumpedBelow && !deviation.completesShieldBeforeBumpingBelow)
        return go(bumped(state, 'edge', purge, deviation), { ...process, hasBumpedBelow: true });
      const change = { progress: { ...state.progress, [purge]: progress }, isOpen: opened(state, responses) };
      const early = deviation.acknowledgesBeforeBumping ? acknowledged(state, purge) : {};
      const toBump = openOf(progress).filter((edge) => !(edge === 'edge' && process.hasBumpedBelow));
      return go(
        { ...change, ...early },
        // What was read and asked is not looked at again, and must not tell states apart.
        { ...idle, purge, step: toBump.length > 0 ? 'bump' : 'acknowledge', toBump },
      );
    }
    case 'bump': {
      const [edge, ...others] = process.toBump;
      if (!edge) return go({}, { ...process, step: 'acknowledge' });
      const step = others.length > 0 ? 'bump' : 'acknowledge';
      return go(bumped(state, edge, purge, deviation), { ...process, step, toBump: others });
    }
    case 'acknowledge':
      return go(acknowledged(state, purge));
  }
}

function catchUp(state: State, process: CatchUp, go: Go, deviation: Deviation): State {
  const { edge, row, left } = process;
  const [purge] = left;
  switch (process.step) {
    case 'probe':
      if (state.moods[edge] !== 'well') return go({ isOpen: { ...state.isOpen, [edge]: true } });
      return go({ isOpen: { ...state.isOpen, [edge]: false } }, { ...process, step: 'read row' });
    case 'read row': {
      const hint = state.hints[edge];
      return hint ? go({}, { ...process, step: 'query', row: hint }) : go({});
    }
    case 'query': {
      const open = purges.filter((id) => row && id >= row.since && isLeft(state.progress[id], edge));
      const ready = open.filter((id) => edge === 'shield' || !isOpen(state.progress[id]?.shield));
      const isWaiting = ready.length < open.length && !deviation.deletesWhileAShieldIsWaitedFor;
      const knownDone = ready.filter((id) => state.progress[id]?.shield === 'done');
      const then = ready.length > 0 ? 'ask' : 'delete row';
      return go({}, { ...process, step: then, left: ready, knownDone, isWaiting });
    }
    case 'ask': {
      if (!purge) return go({}, { ...process, step: 'delete row' });
      const asked = ask(state, purge, edge, false);
      if (asked.response !== 'ok') return go({ isOpen: { ...state.isOpen, [edge]: true } });
      return go(asked.change, { ...process, step: edge === 'shield' ? 'ask below' : 'store', below: null });
    }
    case 'ask below':
    case 'reopen below':
    case 'bump below':
      return passOn(state, process, go, deviation);
    case 'store': {
      const stored = purge && state.progress[purge];
      if (!purge || !stored) return go({});
      const responses =
        edge === 'edge' ? { edge: 'ok' as const } : { shield: 'ok' as const, ...belowOf(process) };
      const progress = merge(stored, responses, process.knownDone.includes(purge), deviation);
      const isLate =
        deviation.completesShieldBeforeBumpingBelow && edge === 'shield' && process.below !== 'ok';
      return go(
        { progress: { ...state.progress, [purge]: progress } },
        isLate ? { ...process, step: 'bump below' } : nextPurge(process),
      );
    }
    case 'delete row': {
      if (process.isWaiting) return go({});
      const stored = state.hints[edge];
      const isOurs = stored?.version === row?.version || deviation.deletesWithoutCondition;
      if (!isOurs) return go({}, { ...process, step: 'read row' });
      return go({ hints: { ...state.hints, [edge]: null } });
    }
  }
}

/** What a shield's catch-up does about the edge below it, before it stores that the shield has done the purge. */
function passOn(state: State, process: CatchUp, go: Go, deviation: Deviation): State {
  const [purge] = process.left;
  if (process.step === 'ask below') {
    if (!purge) return go({});
    const asked = ask(state, purge, 'edge', state.isOpen.edge);
    const isDone = asked.response === 'ok';
    const step = isDone || deviation.completesShieldBeforeBumpingBelow ? 'store' : 'reopen below';
    return go(asked.change, { ...process, step, below: asked.response });
  }
  if (process.step === 'reopen below') {
    const then: Process = { ...process, step: 'bump below' };
    if (!purge || deviation.bumpsBelowBeforeReopening) return go({}, then);
    return go({ progress: { ...state.progress, [purge]: reopened(state.progress[purge]) } }, then);
  }
  const then = deviation.completesShieldBeforeBumpingBelow ? nextPurge(process) : undefined;
  return go(bumped(state, 'edge', purge ?? 1, deviation), then ?? { ...process, step: 'store' });
}

function nextPurge(process: CatchUp): CatchUp {
  const [, ...left] = process.left;
  return { ...process, step: left.length > 0 ? 'ask' : 'delete row', left, below: null };
}

function belowOf({ below }: CatchUp): { readonly edge?: Response } {
  return below ? { edge: below } : {};
}

function ask(
  state: State,
  purge: PurgeId,
  edge: EdgeId,
  isSpared: boolean,
): { readonly response: Response; readonly change: Partial<State> } {
  if (isSpared) return { response: 'spared', change: {} };
  const mood = state.moods[edge];
  if (mood !== 'well') return { response: mood === 'away' ? 'away' : 'denied', change: {} };
  // What the edge below fetches from a shield that has not done it is the old content again.
  const isInVain = edge === 'edge' && !state.applied[purge].shield;
  const applied = { ...state.applied[purge], [edge]: state.applied[purge][edge] || !isInVain };
  return { response: 'ok', change: { applied: { ...state.applied, [purge]: applied } } };
}

function merge(
  stored: Progress | null,
  responses: Readonly<Partial<Record<EdgeId, Response>>>,
  shieldWasDone: boolean,
  deviation: Deviation,
): Progress {
  const before = stored ?? { shield: 'pending', edge: 'pending' };
  const shield = after(before.shield, responses.shield, deviation);
  const isKnown = shieldWasDone || responses.shield === 'ok' || shield === 'denied';
  const counts = !isOpen(shield) && (isKnown || deviation.countsResponsesBeforeTheShield);
  const edge = after(before.edge, responses.edge, deviation);
  return { shield, edge: edge === 'done' && before.edge !== 'done' && !counts ? 'pending' : edge };
}

function after(
  before: Progress[EdgeId],
  response: Response | undefined,
  deviation: Deviation,
): Progress[EdgeId] {
  if (before === 'done' || response === 'ok') return 'done';
  if (response === 'denied')
    return before === 'retrying' && !deviation.deniesShieldThatIsCaughtUp ? 'retrying' : 'denied';
  return response === 'away' ? 'retrying' : before;
}

function isOpen(progress: Progress[EdgeId] | undefined): boolean {
  return progress === 'pending' || progress === 'retrying';
}

/** The edge below waits for the shield, whatever it had done; unless somebody else has got the shield done. */
function reopened(stored: Progress | null): Progress | null {
  if (!stored || stored.shield === 'done') return stored;
  return { shield: 'retrying', edge: stored.edge === 'done' ? 'pending' : stored.edge };
}

/** Who must be caught up: an edge below a shield that has yet to do it is asked by the shield's catch-up. */
function openOf(progress: Progress): readonly EdgeId[] {
  return isOpen(progress.shield) ? ['shield'] : edges.filter((edge) => progress[edge] !== 'done');
}

function isLeft(progress: Progress | null, edge: EdgeId): boolean {
  return progress !== null && progress[edge] !== 'done';
}

function opened(
  { isOpen }: State,
  responses: Readonly<Partial<Record<EdgeId, Response>>>,
): Readonly<Record<EdgeId, boolean>> {
  return {
    shield: isOpen.shield || isFailure(responses.shield),
    edge: isOpen.edge || isFailure(responses.edge),
  };
}

function isFailure(response: Response | undefined): boolean {
  return response === 'away' || response === 'denied';
}

function bumped(
  { hints, nextVersion }: State,
  edge: EdgeId,
  purge: PurgeId,
  deviation: Deviation,
): Partial<State> {
  const hint = hints[edge];
  if (hint && deviation.bumpsOnlyNewRows) return {};
  const lower = hint && hint.since < purge ? hint.since : purge;
  const since = hint && deviation.keepsSinceOfTheFirstBump ? hint.since : lower;
  const version = deviation.versionIsACounter ? (hint?.version ?? 0) + 1 : nextVersion;
  return { hints: { ...hints, [edge]: { since, version } }, nextVersion: nextVersion + 1 };
}

function acknowledged({ isAcknowledged }: State, purge: PurgeId): Partial<State> {
  return { isAcknowledged: { ...isAcknowledged, [purge]: true } };
}
