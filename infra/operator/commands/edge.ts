import { asynchronousDrivers } from '../../../shared/edge/asynchronous-drivers.ts';
import { EdgeFailure } from '../../../shared/edge/driver.ts';
import { addEdge, removeEdge, replaceEdge } from '../../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../../shared/edge/edge-token.ts';
import { immediateDrivers } from '../../../shared/edge/immediate-drivers.ts';
import { listEdgeItems, listEdges } from '../../../shared/edge/registered-edges.ts';
import { type EdgeItem, stateOf } from '../../../shared/edge/registry-table.ts';
import { notFound } from '../../../shared/ground/api-error.ts';
import { type Command, FailedResult, type Flags, requireFlag } from './command.ts';
import { parseEdge, parseReplacement, priceOf } from './new-edge.ts';

export const edgeCommands: Readonly<Record<string, Command>> = {
  add: {
    summary: 'Register an edge; its log token, and a secret made for it, are shown this once',
    required: ['id', 'driver', 'url'],
    optional: ['tier', 'secret-file'],
    switches: ['single-pass'],
    run: (flags, _stack, switches) => add(flags, switches.has('single-pass')),
  },
  replace: {
    summary:
      'Give an edge another address, and what else is named; it keeps the rest, and what it has missed. A new log token is shown this once',
    required: ['id', 'url'],
    optional: ['driver', 'tier', 'secret-file'],
    switches: ['new-token'],
    run: (flags, _stack, switches) => replace(flags, switches.has('new-token')),
  },
  list: {
    summary: 'List the registered edges, and since when and why one is lagging',
    run: async () => (await listEdgeItems()).map(rowOf),
  },
  remove: {
    summary: 'Take an edge out of service; what it has missed is let go',
    required: ['id'],
    run: async (flags) => {
      const id = requireFlag(flags, 'id');
      await removeEdge(id);
      return { id };
    },
  },
  check: {
    summary: 'Ask an edge, or all, whether they would obey',
    optional: ['id'],
    run: (flags) => checkAll(flags.id),
  },
};

function rowOf(item: EdgeItem) {
  const { id, driver, url, tier, createdAt } = item;
  const { lagging } = stateOf(item);
  const shown = lagging && { since: lagging.since, reason: lagging.reason, attempts: lagging.attempts };
  return { id, driver, url, tier, createdAt, lagging: shown ?? null };
}

async function add(flags: Flags, isSinglePass: boolean) {
  const edge = parseEdge(flags, isSinglePass);
  const token = newEdgeToken();
  await addEdge(edge, hashEdgeToken(token));
  const { id, driver, url, tier, secret } = edge;
  const isShown = secret !== undefined && flags['secret-file'] === undefined;
  const price = priceOf(edge);
  return { id, driver, url, tier, token, ...(isShown && { secret }), ...(price && { price }) };
}

async function replace(flags: Flags, hasNewToken: boolean) {
  const registered = (await listEdgeItems()).find(({ id }) => id === requireFlag(flags, 'id'));
  if (!registered) throw notFound('Edge');
  const edge = parseReplacement(flags, registered);
  const token = hasNewToken ? newEdgeToken() : undefined;
  await replaceEdge(edge, token && hashEdgeToken(token));
  const { id, driver, url, tier } = edge;
  return { id, driver, url, tier, ...(token && { token }) };
}

type Checked = Readonly<{ id: string; ok: boolean; detail: string }>;

/** @param ask asks the edge, and says what its yes means */
async function check(id: string, ask: () => Promise<string>): Promise<Checked> {
  try {
    return { id, ok: true, detail: await ask() };
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    return { id, ok: false, detail: error.message };
  }
}

async function checkAll(id: string | undefined) {
  const { immediate, asynchronous } = await listEdges();
  const isMeant = (edge: { readonly id: string }): boolean => id === undefined || edge.id === id;
  const results = await Promise.all([
    ...immediate
      .filter(isMeant)
      .map((edge) => check(edge.id, () => immediateDrivers[edge.driver].check(edge))),
    ...asynchronous
      .filter(isMeant)
      .map((edge) => check(edge.id, () => asynchronousDrivers[edge.driver].check(edge))),
  ]);
  results.sort((one, other) => (one.id < other.id ? -1 : 1));
  const [only] = results;
  if (id !== undefined && !only) throw new Error(`There is no edge ${id}.`);
  const printable = id !== undefined && only ? only : results;
  const failed = results.filter(({ ok }) => !ok);
  if (failed.length === 0) return printable;
  throw new FailedResult(
    printable,
    `Not usable: ${failed.map((edge) => `${edge.id} (${edge.detail})`).join(', ')}.`,
  );
}
