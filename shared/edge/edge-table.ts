import { absent, allOf, anyOf, type Condition, present } from '../aws/expression.ts';
import { encrypt } from '../aws/kms.ts';
import { type Attribute, updateItem } from '../aws/table.ts';
import { ApiError, notFound } from '../ground/api-error.ts';
import { backends } from './backends.ts';
import type { Edge } from './edge.ts';
import { type EdgeItem, edgeKey, edges } from './registry-table.ts';

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
