import { gzipSync } from 'node:zlib';
import { transactBulk } from '../../shared/aws/bulk-transaction.ts';
import { putItem, table } from '../../shared/aws/table.ts';
import { addEdge, removeEdge } from '../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../shared/edge/edge-token.ts';
import { type EdgeScope, everybody } from '../../shared/edge/scope.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import type { PropertyOwner } from '../../shared/property/property-owner.ts';
import type { RollupIncrement } from '../../shared/statistics/rollup.ts';
import { rollupSteps } from '../../shared/statistics/rollup-table.ts';
import type { ApiClient, ApiResponse } from './api-client.ts';

export interface Served {
  /** Unix milliseconds. */
  readonly at?: number;
  readonly host: string;
  readonly status?: number;
  readonly bytes?: number;
  readonly handling?: string;
}

/** A line as the edge node writes it. */
export function varnishLine({
  at = Date.now(),
  host,
  status = 200,
  bytes = 100,
  handling = 'hit',
}: Served): string {
  return `{"ts":"${(at / 1000).toFixed(6)}","h":"${host}","m":"GET","u":"/page?x=1","s":${status},"b":${bytes},"c":"${handling === 'hit' ? 'hit' : 'miss'}","hd":"${handling}","ttfb":0.000123}`;
}

const madeEdges: string[] = [];

/** What an edge made below is registered as. */
export function madeEdge(id: string) {
  const secret = 'a secret of sixteen characters';
  return { id, driver: 'varnish', url: 'http://127.0.0.1:9', tier: 'edge', secret } as const;
}

/** An edge of its own; @returns its log token */
export async function makeEdge(id: string, scope: EdgeScope = everybody): Promise<string> {
  const token = newEdgeToken();
  await addEdge({ ...madeEdge(id), scope }, hashEdgeToken(token));
  madeEdges.push(id);
  return token;
}

/** Leaves the shared run without the edges made above, for which other files’ purges would wait. */
export async function removeMadeEdges(): Promise<void> {
  for (const id of madeEdges.splice(0)) await removeEdge(id);
}

/** Sends a batch in as an edge does. */
export function sendLines(
  api: ApiClient,
  token: string,
  lines: readonly string[],
  { key, gzip = false }: { readonly key?: string; readonly gzip?: boolean } = {},
): Promise<ApiResponse> {
  const text = `${lines.join('\n')}\n`;
  return api.send('/api/edge/logs', {
    method: 'POST',
    headers: [
      ['X-Edge-Token', token],
      ...(gzip ? [['Content-Encoding', 'gzip'] as const] : []),
      ...(key === undefined ? [] : [['Idempotency-Key', key] as const]),
    ],
    body: gzip ? gzipSync(text) : text,
  });
}

let sites = 0;

/** A property with one host name of its own. */
export async function makeSite(
  api: ApiClient,
  originUrl = 'http://127.0.0.1:9',
): Promise<{ readonly id: string; readonly host: string }> {
  const host = `site-${++sites}.example.com`;
  const body = { name: 'Site', hostnames: [host], origin: { url: originUrl } };
  return { id: (await api.post('/api/property', body)).data.id, host };
}

/** Gives a host name to a property, whether or not there is such a property. */
export async function giveHostname(hostname: string, owner: PropertyOwner): Promise<void> {
  await putItem(table<'hostnames', PropertyOwner & { readonly hostname: string }>('hostnames'), {
    hostname,
    ...owner,
  });
}

const stepsAtOnce = 100;
const transactionsAtOnce = 8;

/** Stores rollups as ingestion does. */
export async function storeRollups(increments: readonly RollupIncrement[]): Promise<void> {
  const steps = increments.flatMap(rollupSteps);
  const transactions = Array.from({ length: Math.ceil(steps.length / stepsAtOnce) }, (_, index) =>
    steps.slice(index * stepsAtOnce, (index + 1) * stepsAtOnce),
  );
  await inParallel(transactions, transactionsAtOnce, async (some) => {
    if (await transactBulk(some)) throw new Error('Rollups were refused');
  });
}
