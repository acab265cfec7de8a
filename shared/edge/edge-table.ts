import { absent, allOf, anyOf, type Condition, present } from '../aws/expression.ts';
import { decrypt, encrypt } from '../aws/kms.ts';
import { queryAll } from '../aws/query.ts';
import { type Attribute, updateItem } from '../aws/table.ts';
import { ApiError, notFound } from '../ground/api-error.ts';
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
import { type EdgeItem, edgeKey, edges, registry, stateOf } from './registry-table.ts';

/** An edge of the registry, ready to be asked, and where it stands. */
export type RegisteredEdge<Driver extends EdgeDriverName = EdgeDriverName> = Edge<Driver> & EdgeState;

/** The edges in service, by how their backends are asked. */
export interface EdgesInService {
  readonly immediate: readonly RegisteredEdge<ImmediateDriverName>[];
  readonly asynchronous: readonly RegisteredEdge<AsynchronousDriverName>[];
}

/** A process that starts needs all secrets at once. */
const concurrentDecryptions = 10;

const decrypted = new Map<string, string>();

/**
 * One that was removed a moment ago, and from which nothing was let go yet, catches up first.
 * @throws ApiError `conflict` when the id is taken
 */
export async function addEdge(edge: Edge, tokenHash: string): Promise<void> {
  const { id, driver, url, tier, secret, isSinglePass } = edge;
  const encryptedSecret = secret === undefined ? null : await encrypted(id, secret);
  const createdAt = new Date().toISOString();
  const fields = { driver, url, tier, isSinglePass, encryptedSecret, tokenHash, createdAt };
  if (await writeEdge(id, fields, anyOf(absent('id'), present('removedAt')))) return;
  throw new ApiError('conflict', `There is an edge ${id} already. Remove it first, or choose another id.`);
}

/**
 * Puts an edge in the place of the one with its id, without a moment in which there is none; what that has missed,
 * this one has.
 * @param edge keeps the secret that is stored where it has none of its own
 * @param tokenHash of a new log token; without it the edge keeps the one it has
 * @throws ApiError `notFound`
 */
export async function replaceEdge(edge: Edge, tokenHash?: string): Promise<void> {
  const { id, driver, url, tier, isSinglePass } = edge;
  const fields = {
    driver,
    url,
    tier,
    isSinglePass,
    ...(await newSecret(edge)),
    ...(tokenHash && { tokenHash }),
  };
  if (!(await writeEdge(id, fields, isInService()))) throw notFound('Edge');
}

/**
 * Takes an edge out of service at once. It stays in the registry, unseen, until the purges that wait for it have
 * been let go.
 * @throws ApiError `notFound`
 */
export async function removeEdge(id: string): Promise<void> {
  const change = { set: { removedAt: new Date().toISOString() } };
  if (!(await updateItem(edges, edgeKey(id), change, isInService()))) throw notFound('Edge');
}

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
  const edges = registered.filter(({ removedAt }) => removedAt === undefined);
  return { immediate: edges.filter(isImmediate), asynchronous: edges.filter(isAsynchronous) };
}

export function isImmediate(edge: RegisteredEdge): edge is RegisteredEdge<ImmediateDriverName> {
  return backends[edge.driver].mode === 'immediate';
}

function isAsynchronous(edge: RegisteredEdge): edge is RegisteredEdge<AsynchronousDriverName> {
  return backends[edge.driver].mode === 'asynchronous';
}

function encrypted(id: string, secret: string): Promise<Uint8Array> {
  return encrypt('edgeSecrets', secret, { edgeId: id });
}

function isInService() {
  return allOf<'id' | 'removedAt'>(present('id'), absent('removedAt'));
}

/** Writes what the operator decides about an edge, and leaves its state alone. */
function writeEdge(
  id: string,
  set: Partial<EdgeItem>,
  condition: Condition<Attribute<EdgeItem>>,
): Promise<boolean> {
  return updateItem(edges, edgeKey(id), { set, remove: ['removedAt'] }, condition);
}

async function newSecret({ id, driver, secret }: Edge): Promise<Partial<EdgeItem>> {
  if (!backends[driver].hasSecret) return { encryptedSecret: null };
  return secret === undefined ? {} : { encryptedSecret: await encrypted(id, secret) };
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
