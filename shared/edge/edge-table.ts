import { absent, type Change, type Condition } from '../aws/expression.ts';
import { encrypt } from '../aws/kms.ts';
import { untilWritten } from '../aws/optimistic-retry.ts';
import type { Attribute } from '../aws/table.ts';
import { checkStep, deleteStep, putStep, type Step, transact, updateStep } from '../aws/transaction.ts';
import { ApiError, notFound } from '../ground/api-error.ts';
import { newId } from '../ground/id.ts';
import { backends } from './backends.ts';
import type { Edge } from './edge.ts';
import { findEdges, isInService } from './registry.ts';
import {
  type EdgeItem,
  type EdgeKey,
  edgeIndex,
  edgeKey,
  edges,
  isStill,
  type RegistryName,
  scopeOf,
  tokenTerm,
} from './registry-table.ts';
import { type EdgeScope, everybody, isEverybody, termsOf } from './scope.ts';
import { noteTerms } from './term-filter-table.ts';

/**
 * Registers an edge. Where one of its id was removed a moment ago and is still there, it takes that one's place, and catches
 * up with what that one has missed.
 * @throws ApiError `conflict` when the id is taken
 */
export async function addEdge(edge: Edge, tokenHash: string): Promise<void> {
  const { id, scope = everybody, isWidened = false, isSinglePass = false } = edge;
  const encryptedSecret = edge.secret === undefined ? null : await encrypted(id, edge.secret);
  const createdAt = new Date().toISOString();
  const choices = { ...scope, isWidened, isSinglePass };
  const set = { ...settingsOf(edge), ...choices, encryptedSecret, tokenHash, createdAt };
  await untilWritten(async () => {
    const removed = await findEdge(id);
    if (removed && isInService(removed)) throw taken(id);
    const registry = removed?.registry ?? (isEverybody(scope) ? 'edges' : 'scoped');
    const other = registry === 'edges' ? 'scoped' : 'edges';
    await noteTerms(scopeTermsAt(registry, scope));
    const condition = removed ? isStill(removed) : absent<'id'>('id');
    const nowhereElse = checkStep(edges, { registry: other, id }, absent('id'));
    const index = { put: termsAt(registry, scope, tokenHash), drop: [] };
    return write({ registry, id }, { ...set, formerTerms: [] }, condition, index, [nowhereElse]);
  });
}

/**
 * Puts an edge in the place of the one with its id, without a moment in which there is none; what that has missed,
 * this one has.
 * @param edge keeps the secret, the scope and the choices that are stored where it has none of its own
 * @param newTokenHash of a new token; without it the edge keeps the one it has
 * @throws ApiError `notFound`
 */
export async function replaceEdge(edge: Edge, newTokenHash?: string): Promise<void> {
  const secret = await newSecret(edge);
  await untilWritten(async () => {
    const before = await requireEdge(edge.id);
    const { registry } = before;
    const { scope = scopeOf(before), isWidened } = edge;
    const tokenHash = newTokenHash ?? before.tokenHash;
    await noteTerms(scopeTermsAt(registry, scope));
    const put = termsAt(registry, scope, tokenHash);
    const formerTerms = difference(scopeTermsAt(registry, scopeOf(before)), put);
    const drop = difference(termsOfItem(before), [...put, ...formerTerms]);
    const set = { ...settingsOf(edge), ...scope, formerTerms, isWidened, ...secret, tokenHash };
    return write(before, set, isStill(before), { put, drop });
  });
}

/**
 * Takes an edge out of service at once. It stays in the registry, unseen, until the purges that wait for it have
 * been let go.
 * @throws ApiError `notFound`
 */
export async function removeEdge(id: string): Promise<void> {
  await untilWritten(async () => {
    const before = await requireEdge(id);
    const set = { removedAt: new Date().toISOString() };
    return write(before, set, isStill(before), { put: [], drop: termsOfItem(before) });
  });
}

/** An edge as it is stored, one that was taken out of service included. */
export async function findEdge(id: string): Promise<EdgeItem | undefined> {
  const [found] = await findEdges([id]);
  return found;
}

/** @throws ApiError `notFound` */
export async function requireEdge(id: string): Promise<EdgeItem> {
  const found = await findEdge(id);
  if (!found || !isInService(found)) throw notFound('Edge');
  return found;
}

/** Terms under which the index is to have an edge from now on, and those under which it had it. */
interface IndexChange {
  readonly put: readonly string[];
  readonly drop: readonly string[];
}

/**
 * Writes what the operator decides about an edge together with the index of it, and leaves its state alone.
 * @returns undefined where the edge is not what the condition says any more
 */
async function write(
  key: EdgeKey,
  set: Partial<EdgeItem>,
  condition: Condition<Attribute<EdgeItem>>,
  { put, drop }: IndexChange,
  others: readonly Step[] = [],
): Promise<true | undefined> {
  const { id: edgeId } = key;
  const remove: Change<EdgeItem>['remove'] = set.removedAt ? ['acceptedKeys'] : ['removedAt'];
  const change = { set: { ...set, version: newId() }, remove };
  const refused = await transact([
    updateStep(edges, edgeKey(key), change, condition),
    ...others,
    ...put.map((term) => putStep(edgeIndex, { term, edgeId })),
    ...drop.map((term) => deleteStep(edgeIndex, { term, edgeId })),
  ]);
  return refused ? undefined : true;
}

function difference(terms: readonly string[], others: readonly string[]): readonly string[] {
  return terms.filter((term) => !others.includes(term));
}

/** The terms under which the index has the edge. */
function termsAt(registry: RegistryName, scope: EdgeScope, tokenHash: string): readonly string[] {
  return [tokenTerm(tokenHash), ...scopeTermsAt(registry, scope)];
}

/** None where the edges for everybody are: those are read in any case. */
function scopeTermsAt(registry: RegistryName, scope: EdgeScope): readonly string[] {
  return registry === 'edges' ? [] : termsOf(scope);
}

function termsOfItem(item: EdgeItem): readonly string[] {
  return [...termsAt(item.registry, scopeOf(item), item.tokenHash), ...(item.formerTerms ?? [])];
}

function settingsOf({ driver, url, tier, isSinglePass }: Edge): Partial<EdgeItem> {
  return { driver, url, tier, ...(isSinglePass !== undefined && { isSinglePass }) };
}

function taken(id: string): ApiError {
  return new ApiError('conflict', `There is an edge ${id} already. Remove it first, or choose another id.`);
}

function encrypted(id: string, secret: string): Promise<Uint8Array> {
  return encrypt('edgeSecrets', secret, { edgeId: id });
}

async function newSecret({ id, driver, secret }: Edge): Promise<Partial<EdgeItem>> {
  if (!backends[driver].hasSecret) return { encryptedSecret: null };
  return secret === undefined ? {} : { encryptedSecret: await encrypted(id, secret) };
}
