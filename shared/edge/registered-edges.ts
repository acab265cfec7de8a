import { decrypt } from '../aws/kms.ts';
import { queryAll } from '../aws/query.ts';
import { log } from '../ground/log.ts';
import { inParallel } from '../ground/parallel.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import {
  type AsynchronousDriverName,
  backends,
  type EdgeDriverName,
  type ImmediateDriverName,
} from './backends.ts';
import type { Edge } from './edge.ts';
import type { EdgeState } from './lagging.ts';
import { type EdgeItem, edges, registry, stateOf } from './registry-table.ts';

/** An edge of the registry, ready to be asked, and where it stands. */
export type RegisteredEdge<Driver extends EdgeDriverName = EdgeDriverName> = Edge<Driver> & EdgeState;

/** The edges in service, by how their backends are asked. */
export interface EdgesInService {
  readonly all: readonly RegisteredEdge[];
  readonly immediate: readonly RegisteredEdge<ImmediateDriverName>[];
  readonly asynchronous: readonly RegisteredEdge<AsynchronousDriverName>[];
}

/** A process that starts needs all secrets at once. */
const concurrentDecryptions = 10;

const decrypted = new Map<string, string>();

/** Also covers listEdgeStates and listEdgesWithoutSecrets. */
export const listEdgeItemsTouches = { tables: { edges: ['Query'] } } as const satisfies Touches;

/** Those in service, as they are stored. */
export async function listEdgeItems(): Promise<readonly EdgeItem[]> {
  return (await listAllItems()).filter(({ removedAt }) => removedAt === undefined);
}

/** By the edge's id. */
export type EdgeStates = ReadonlyMap<string, EdgeState>;

/** Where every edge of the registry stands, those taken out of service included. */
export async function listEdgeStates(): Promise<EdgeStates> {
  return new Map((await listAllItems()).map((item) => [item.id, stateOf(item)]));
}

/** Also covers listRegisteredEdges. */
export const listEdgesTouches = touching(listEdgeItemsTouches, { keys: { edgeSecrets: ['Decrypt'] } });

/** Every edge of the registry; KMS is asked once per secret and process. */
export async function listRegisteredEdges(): Promise<readonly RegisteredEdge[]> {
  return inParallel(await listAllItems(), concurrentDecryptions, openEdge);
}

/** Every edge in service, ready to be asked. */
export async function listEdges(): Promise<EdgesInService> {
  return inService(await listRegisteredEdges());
}

/** Every edge in service, for those who ask none that has a secret. */
export async function listEdgesWithoutSecrets(): Promise<EdgesInService> {
  return inService((await listAllItems()).map((item) => registered(item, undefined)));
}

export function inService(registered: readonly RegisteredEdge[]): EdgesInService {
  const all = registered.filter(({ removedAt }) => removedAt === undefined);
  return { all, immediate: all.filter(isImmediate), asynchronous: all.filter(isAsynchronous) };
}

export function isImmediate(edge: RegisteredEdge): edge is RegisteredEdge<ImmediateDriverName> {
  return backends[edge.driver].mode === 'immediate';
}

function isAsynchronous(edge: RegisteredEdge): edge is RegisteredEdge<AsynchronousDriverName> {
  return backends[edge.driver].mode === 'asynchronous';
}

function listAllItems(): Promise<readonly EdgeItem[]> {
  return queryAll(edges, { partition: registry });
}

/** A secret that cannot be had holds up its own edge only. */
async function openEdge(item: EdgeItem): Promise<RegisteredEdge> {
  const secret = await secretOf(item).catch((error: unknown) => {
    log('error', 'edge secret not decrypted', { edgeId: item.id, error });
    return undefined;
  });
  return registered(item, secret);
}

function registered(item: EdgeItem, secret: string | undefined): RegisteredEdge {
  const { id, driver, url, tier, isSinglePass = false } = item;
  return { id, driver, url, tier, secret, isSinglePass, ...stateOf(item) };
}

async function secretOf({ id, encryptedSecret }: EdgeItem): Promise<string | undefined> {
  if (!encryptedSecret) return undefined;
  const ciphertext = `${id} ${Buffer.from(encryptedSecret).toString('base64')}`;
  const known = decrypted.get(ciphertext);
  if (known !== undefined) return known;
  const secret = await decrypt('edgeSecrets', encryptedSecret, { edgeId: id });
  decrypted.set(ciphertext, secret);
  return secret;
}
