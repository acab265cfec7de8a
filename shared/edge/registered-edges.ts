import { decrypt } from '../aws/kms.ts';
import { log } from '../ground/log.ts';
import { inParallel } from '../ground/parallel.ts';
import type { Touches } from '../ground/resources.ts';
import type { PropertyOwner } from '../property/property-owner.ts';
import {
  type AsynchronousDriverName,
  backends,
  type EdgeDriverName,
  type ImmediateDriverName,
} from './backends.ts';
import type { Edge } from './edge.ts';
import type { EdgeState } from './lagging.ts';
import { isInService, type Registry } from './registry.ts';
import { type EdgeItem, type EdgeKey, scopeOf, stateOf } from './registry-table.ts';
import type { EdgeScope } from './scope.ts';

/** An edge of the registry, ready to be asked, and where it stands. */
export type RegisteredEdge<Driver extends EdgeDriverName = EdgeDriverName> = Edge<Driver> &
  EdgeKey &
  EdgeState & { readonly scope: EdgeScope };

/** Edges in service, by how their backends are asked. */
export interface EdgesInService {
  readonly all: readonly RegisteredEdge[];
  readonly immediate: readonly RegisteredEdge<ImmediateDriverName>[];
  readonly asynchronous: readonly RegisteredEdge<AsynchronousDriverName>[];
}

/** A process that starts needs all secrets at once. */
const concurrentDecryptions = 10;

const decrypted = new Map<string, string>();

/** For `edgesFor` besides those of reading the registry. */
export const openEdgesTouches = { keys: { edgeSecrets: ['Decrypt'] } } as const satisfies Touches;

/** The edges in service that take the property's purges, ready to be asked. */
export async function edgesFor(registry: Registry, owner: PropertyOwner): Promise<EdgesInService> {
  return openEdges(await registry.edgesOf(owner));
}

/** Those of the edges that are in service, ready to be asked; KMS is asked once per secret and process. */
export async function openEdges(items: readonly EdgeItem[]): Promise<EdgesInService> {
  const all = await inParallel(items.filter(isInService), concurrentDecryptions, openEdge);
  return { all, immediate: all.filter(isImmediate), asynchronous: all.filter(isAsynchronous) };
}

function isImmediate(edge: RegisteredEdge): edge is RegisteredEdge<ImmediateDriverName> {
  return backends[edge.driver].mode === 'immediate';
}

export function isAsynchronous(edge: RegisteredEdge): edge is RegisteredEdge<AsynchronousDriverName> {
  return backends[edge.driver].mode === 'asynchronous';
}

/** A secret that cannot be had holds up its own edge only. */
async function openEdge(item: EdgeItem): Promise<RegisteredEdge> {
  const secret = await secretOf(item).catch((error: unknown) => {
    log('error', 'edge secret not decrypted', { edgeId: item.id, error });
    return undefined;
  });
  return registered(item, secret);
}

/** An edge whose backend has no secret, or that is not to be asked. */
export function registered(item: EdgeItem, secret?: string): RegisteredEdge {
  const { registry, id, driver, url, tier, isSinglePass = false, isWidened = false } = item;
  const scope = scopeOf(item);
  const configured = item.acceptedKeys !== undefined && { acceptedKeys: item.acceptedKeys };
  const choices = { isSinglePass, scope, isWidened, ...configured };
  return { registry, id, driver, url, tier, secret, ...choices, ...stateOf(item) };
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
