import { absent, allOf, anyOf, type Condition, present } from '../aws/expression.ts';
import { decrypt, encrypt } from '../aws/kms.ts';
import { queryAll } from '../aws/query.ts';
import { type Attribute, updateItem } from '../aws/table.ts';
import { ApiError, notFound } from '../ground/api-error.ts';
import { log } from '../ground/log.ts';
import { inParallel } from '../ground/parallel.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import { type BatchDriverName, isDirect } from './backends.ts';
import type { Edge } from './edge.ts';
import type { EdgeState } from './lagging.ts';
import { type EdgeItem, edgeKey, edges, registry, stateOf } from './registry-table.ts';

/** An edge whose secret is known, or whose backend has none. */
export type NewEdge = Edge &
  ({ readonly secret: string } | { readonly driver: BatchDriverName; readonly secret: undefined });

/** An edge of the registry, ready to be asked, and where it stands. */
export type RegisteredEdge = Edge & EdgeState;

/** A process that starts needs all secrets at once. */
const concurrentDecryptions = 10;

const decrypted = new Map<string, string>();

/**
 * One that was removed a moment ago, and from which nothing was let go yet, catches up first.
 * @throws ApiError `conflict` when the id is taken
 */
export async function addEdge({ id, driver, url, tier, secret }: NewEdge, tokenHash: string): Promise<void> {
  const encryptedSecret = secret === undefined ? null : await encrypted(id, secret);
  const createdAt = new Date().toISOString();
  const fields = { driver, url, tier, encryptedSecret, tokenHash, createdAt };
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
  const { id, driver, url, tier } = edge;
  const fields = { driver, url, tier, ...(await newSecret(edge)), ...(tokenHash && { tokenHash }) };
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

/** Of listEdgeStates too. */
export const listEdgeItemsTouches = { tables: { edges: ['Query'] } } as const satisfies Touches;

/** Those in service, as they are stored. */
export async function listEdgeItems(): Promise<readonly EdgeItem[]> {
  return (await listAllItems()).filter(({ removedAt }) => removedAt === undefined);
}

/** Where every edge of the registry stands, those taken out of service included. */
export async function listEdgeStates(): Promise<readonly (EdgeState & { readonly id: string })[]> {
  return (await listAllItems()).map((item) => ({ id: item.id, ...stateOf(item) }));
}

/** Of listRegisteredEdges too. */
export const listEdgesTouches = touching(listEdgeItemsTouches, { keys: { edgeSecrets: ['Decrypt'] } });

/** Every edge of the registry; KMS is asked once per secret and process. */
export async function listRegisteredEdges(): Promise<readonly RegisteredEdge[]> {
  return inParallel(await listAllItems(), concurrentDecryptions, openEdge);
}

/** Every edge in service, ready to be asked. */
export async function listEdges(): Promise<readonly RegisteredEdge[]> {
  return (await listRegisteredEdges()).filter(({ removedAt }) => removedAt === undefined);
}

function encrypted(id: string, secret: string): Promise<Uint8Array> {
  return encrypt('edgeSecrets', secret, { edgeId: id });
}

function isInService() {
  return allOf<'id' | 'removedAt'>(present('id'), absent('removedAt'));
}

/** Writes what the operator decides about an edge, and leaves alone what it has missed. */
function writeEdge(
  id: string,
  set: Partial<EdgeItem>,
  condition: Condition<Attribute<EdgeItem>>,
): Promise<boolean> {
  return updateItem(edges, edgeKey(id), { set, remove: ['removedAt'] }, condition);
}

async function newSecret({ id, driver, secret }: Edge): Promise<Partial<EdgeItem>> {
  if (!isDirect(driver)) return { encryptedSecret: null };
  return secret === undefined ? {} : { encryptedSecret: await encrypted(id, secret) };
}

function listAllItems(): Promise<readonly EdgeItem[]> {
  return queryAll(edges, { partition: registry });
}

/** A secret that cannot be had holds up its own edge only. */
async function openEdge(item: EdgeItem): Promise<RegisteredEdge> {
  const { id, driver, url, tier } = item;
  const secret = await secretOf(item).catch((error: unknown) => {
    log('error', 'edge secret not decrypted', { edgeId: id, error });
    return undefined;
  });
  return { id, driver, url, tier, secret, ...stateOf(item) };
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
