import { listAllHints } from '../../../shared/catch-up/hint-table.ts';
import {
  type Lagging,
  notOnAccessList,
  secretUnreadable,
  tooLongAway,
  tooSlow,
} from '../../../shared/edge/lagging.ts';
import { allEdges, isInService } from '../../../shared/edge/registry.ts';
import { type EdgeItem, scopeOf, stateOf } from '../../../shared/edge/registry-table.ts';
import { configLags } from '../../../shared/edge-config/config-lag.ts';
import { timeOf } from '../../../shared/ground/id.ts';
import { ageOf } from '../text/age.ts';
import { wrapped } from '../text/fit.ts';
import { tableOf } from '../text/table.ts';
import { configText, configurationOf } from './edge-configuration.ts';
import { scopeText } from './edge-scope.ts';

/** An edge as the operator sees it. */
export type EdgeRow = Awaited<ReturnType<typeof listEdgeRows>>[number];

/** What an edge has yet to get. */
interface Missed {
  readonly properties: number;
  /** When the first purge that it has missed was asked for. */
  readonly since: string;
}

/** The edges in service, with what they have missed and what is to be done. */
export async function listEdgeRows() {
  const [items, hints] = await Promise.all([edgesInService(), listAllHints()]);
  const lags = await configLags(items);
  const byEdge = Map.groupBy(hints, ({ edgeId }) => edgeId);
  return items.map((item) => ({
    ...rowOf(item, byEdge.get(item.id)?.map(({ since }) => since) ?? []),
    configuration: configurationOf(lags.get(item.id)),
  }));
}

/** In the order of their ids. */
async function edgesInService(): Promise<readonly EdgeItem[]> {
  const items = (await allEdges()).filter(isInService);
  return items.sort((one, other) => (one.id < other.id ? -1 : 1));
}

function rowOf(item: EdgeItem, missedIds: readonly string[]) {
  const { id, driver, url, tier, isWidened = false, isSinglePass = false, createdAt } = item;
  const { lagging } = stateOf(item);
  const [first] = missedIds.toSorted();
  const missed: Missed | null = first
    ? { properties: missedIds.length, since: timeOf(first).toISOString() }
    : null;
  const todo = lagging ? todoFor(item, lagging) : null;
  return {
    ...{ id, driver, url, tier, ...scopeOf(item), widen: isWidened },
    ...(isSinglePass && { singlePass: true }),
    createdAt,
    ...{ lagging: lagging ? shown(lagging) : null, missed, todo },
  };
}

function shown({ since, kind, reason, attempts, nextAttemptAt }: Lagging) {
  return { since, kind, reason, attempts, nextAttemptAt };
}

/** A lagging edge catches up by itself as soon as it obeys. */
function todoFor({ id, url }: EdgeItem, { kind, reason }: Lagging): string {
  const check = `edge check --id ${id}`;
  const registerSecret = `register the secret that it has: edge replace --id ${id} --url ${url} --secret-file FILE`;
  if (reason === tooLongAway) return `empty its cache and add it anew, after: edge remove --id ${id}`;
  if (reason === notOnAccessList)
    return `put the address of the functions on its access list, then ask it: ${check}`;
  if (reason === secretUnreadable) return registerSecret;
  if (reason === tooSlow) return 'find out why it is slow: meanwhile it is brought its purges late';
  return kind === 'denied' ? registerSecret : `start it or its network again, and ask it: ${check}`;
}

/** All edges, and below what there is to say of those that lag. */
export function edgeTable(edges: readonly EdgeRow[], width: number | undefined): string {
  const rows = edges.map(({ lagging, missed, configuration, ...edge }) => ({
    ...edge,
    scope: takenText(edge),
    config: configText(configuration),
    since: lagging?.since,
    properties: missed?.properties,
    next: lagging?.nextAttemptAt,
  }));
  const columns = {
    ...{ id: 'ID', driver: 'DRIVER', tier: 'TIER', url: 'URL', scope: 'SCOPE', config: 'CONFIG' },
    ...{ since: 'LAGGING', properties: 'MISSED OF', next: 'NEXT' },
  };
  return tableOf(rows, columns, width) + laggingEdges(edges, width);
}

const widest = 100;
const indent = '  ';

/** What is wrong with each edge that lags, what it has missed and what to do. */
export function laggingEdges(edges: readonly EdgeRow[], width = widest): string {
  return edges
    .flatMap((edge) => describe(edge))
    .map(([head = '', ...rest]) => [
      ...wrapped(head, width),
      ...rest.flatMap((text) => wrapped(text, width - indent.length).map((line) => indent + line)),
    ])
    .map((lines) => `\n${lines.join('\n')}\n`)
    .join('');
}

function describe({ id, lagging, missed, todo }: EdgeRow): readonly (readonly string[])[] {
  if (!lagging) return [];
  const { kind, since, reason, nextAttemptAt } = lagging;
  const missedText = missed
    ? `purges of ${counted(missed.properties)}, the first ${ageOf(missed.since)} ago`
    : 'nothing yet';
  return [
    [
      `${id} lags for ${ageOf(since)}: ${kind}, ${reason}`,
      `Missed: ${missedText}. Next try: ${nextTry(nextAttemptAt)}.`,
      `To do: ${todo}`,
    ],
  ];
}

function takenText({
  widen,
  singlePass,
  ...scope
}: Omit<EdgeRow, 'lagging' | 'missed' | 'configuration'>): string {
  return [scopeText(scope), ...(widen ? ['widened'] : []), ...(singlePass ? ['single pass'] : [])].join(', ');
}

function counted(properties: number): string {
  return properties === 1 ? '1 property' : `${properties} properties`;
}

function nextTry(at: string): string {
  const wait = ageOf(at);
  return wait.startsWith('in ') ? wait : 'now';
}
