import { backends } from '../../../shared/edge/backends.ts';
import type { Edge } from '../../../shared/edge/edge.ts';
import { addEdge, removeEdge, replaceEdge, requireEdge } from '../../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../../shared/edge/edge-token.ts';
import { scopeOf } from '../../../shared/edge/registry-table.ts';
import { type EdgeScope, everybody } from '../../../shared/edge/scope.ts';
import { EdgeTier } from '../../../shared/edge/tier.ts';
import { namesOf } from '../../../shared/ground/names.ts';
import { type Command, type Context, type Flags, Report, requireFlag, UsageError } from './command.ts';
import { checkEdges } from './edge-check.ts';
import { edgeTable, listEdgeRows } from './edge-rows.ts';
import { parseScope, scopeFlags, widenFlag } from './edge-scope.ts';
import { parseEdge, parseReplacement, pathPrice, priceOf, urlFlag } from './new-edge.ts';

const idFlag = '1 to 63 letters, digits, dots, hyphens and underscores';
const knownIdFlag = 'id of an edge, as edge list shows it';
const driverFlag = namesOf(backends).join(' or ');
const secretFlag = 'file with the secret that purges are signed with, of 16 to 1024 characters';

export const edgeCommands: Readonly<Record<string, Command>> = {
  add: {
    summary: 'Register an edge; its token is shown this once',
    details: `Also shown this once is the secret that is made where no file names one. A cloudfront edge has none; for it the price is printed: ${pathPrice}.`,
    required: { id: idFlag, driver: driverFlag, url: urlFlag },
    optional: {
      tier: `${EdgeTier.options.join(' or ')}, which edges fetch through; edge by default`,
      'secret-file': `${secretFlag}; made at random by default`,
    },
    repeatable: scopeFlags,
    switches: {
      widen: widenFlag,
      'single-pass':
        'cloudfront only: invalidate once for each purge instead of twice. Half the price, and a fetch that is under way can bring old content back',
    },
    example: '--id paris-1 --driver varnish --url http://10.0.0.5:6081',
    run: add,
  },
  replace: {
    summary: 'Give an edge another address; it keeps the rest',
    details:
      'It keeps what is not named, and what it has missed. Accounts and properties that are named, with or without --widen, take the place of those before. Single pass stays as it was added. A new token is shown this once.',
    required: { id: knownIdFlag, url: urlFlag },
    optional: { driver: driverFlag, tier: EdgeTier.options.join(' or '), 'secret-file': secretFlag },
    repeatable: scopeFlags,
    switches: {
      widen: widenFlag,
      all: 'takes the purges of all accounts again, and refuses what it cannot do exactly without --widen',
      'new-token': 'makes a token, and ends the use of the old one',
    },
    example: '--id paris-1 --url http://10.0.0.6:6081',
    run: replace,
  },
  list: {
    summary: 'List the edges: what they have missed, and what to do',
    run: async () => {
      const edges = await listEdgeRows();
      return new Report(edges, (width) => edgeTable(edges, width));
    },
  },
  remove: {
    summary: 'Take an edge out of service; what it missed is let go',
    required: { id: knownIdFlag },
    example: '--id paris-1',
    run: async (flags) => {
      const id = requireFlag(flags, 'id');
      await removeEdge(id);
      return { id };
    },
  },
  check: {
    summary: 'Ask an edge, or all, whether they would obey',
    details: 'Changes nothing on the edge. Exit 1 where one would not.',
    optional: { id: `${knownIdFlag}; all by default` },
    example: '--id paris-1',
    columns: { id: 'ID', ok: 'OK', detail: 'DETAIL' },
    run: (flags) => checkEdges(flags.id),
  },
};

async function add(flags: Flags, { lists, switches }: Context) {
  const edge = {
    ...parseEdge(flags, switches.has('single-pass')),
    scope: await parseScope(lists),
    isWidened: switches.has('widen'),
  };
  const token = newEdgeToken();
  await addEdge(edge, hashEdgeToken(token));
  const { id, driver, url, tier, secret } = edge;
  const isShown = secret !== undefined && flags['secret-file'] === undefined;
  const price = priceOf(edge);
  return {
    ...{ id, driver, url, tier, ...shownScope(edge.scope, edge.isWidened), token },
    ...(isShown && { secret }),
    ...(price && { price }),
  };
}

async function replace(flags: Flags, context: Context) {
  const registered = await requireEdge(requireFlag(flags, 'id'));
  const edge = { ...parseReplacement(flags, registered), ...(await newScope(context)) };
  const token = context.switches.has('new-token') ? newEdgeToken() : undefined;
  await replaceEdge(edge, token && hashEdgeToken(token));
  const { id, driver, url, tier, scope = scopeOf(registered), isWidened = registered.isWidened } = edge;
  return { id, driver, url, tier, ...shownScope(scope, isWidened), ...(token && { token }) };
}

/** Nothing where the edge is to keep the scope that it has. */
async function newScope({ lists, switches }: Context): Promise<Pick<Edge, 'scope' | 'isWidened'>> {
  const isWidened = switches.has('widen');
  const isNamed = namesOf(scopeFlags).some((flag) => lists[flag]?.length);
  if (switches.has('all') && isNamed)
    throw new UsageError('--all takes all accounts: leave --account and --property out');
  if (switches.has('all')) return { scope: everybody, isWidened };
  if (isNamed) return { scope: await parseScope(lists), isWidened };
  return isWidened ? { isWidened } : {};
}

/** Nothing of an edge for everybody that refuses what it cannot do. */
function shownScope({ accounts, properties }: EdgeScope, isWidened = false) {
  return {
    ...(accounts.length > 0 && { accounts }),
    ...(properties.length > 0 && { properties }),
    ...(isWidened && { widen: true }),
  };
}
