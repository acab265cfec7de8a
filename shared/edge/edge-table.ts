import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { decrypt, encrypt } from '../aws/kms.ts';
import { queryAll } from '../aws/read.ts';
import { ApiError } from '../ground/api-error.ts';
import { inParallel } from '../ground/parallel.ts';
import { type BatchDriverName, isDirect } from './backends.ts';
import type { EdgeState } from './behind.ts';
import { type Edge, registry } from './edge.ts';

/** What is stored of an edge: its secret only as ciphertext, its log token only as a hash. */
export interface EdgeItem extends Omit<Edge, 'secret'>, Partial<EdgeState> {
  readonly registry: typeof registry;
  /** Null where the backend has no secret. */
  readonly encryptedSecret: Uint8Array | null;
  readonly tokenHash: string;
  readonly createdAt: string;
}

/** An edge whose secret is known, or whose backend has none. */
export type NewEdge = Edge &
  ({ readonly secret: string } | { readonly driver: BatchDriverName; readonly secret: undefined });

/** An edge of the registry, ready to be asked, and where it stands. */
export type RegisteredEdge = Edge & EdgeState;

/** A process that starts needs all secrets at once. */
const concurrentDecryptions = 10;

const decrypted = new Map<string, string>();

/** Where an edge stands; one that was never behind has no numbers yet. */
export function stateOf({ backlog = 0, settled = 0, behind, removedAt }: EdgeItem): EdgeState {
  return {
    backlog,
    settled,
    ...(behind && { behind }),
    ...(removedAt && { removedAt }),
  };
}

/**
 * One that was removed a moment ago, and from which nothing was let go yet, catches up first.
 * @throws ApiError `conflict` when the id is taken
 */
export async function addEdge({ id, driver, url, tier, secret }: NewEdge, tokenHash: string): Promise<void> {
  const encryptedSecret = secret === undefined ? null : await encrypted(id, secret);
  const createdAt = new Date().toISOString();
  const fields = { driver, url, tier, encryptedSecret, tokenHash, createdAt };
  try {
    await writeEdge(id, fields, 'attribute_not_exists(id) OR attribute_exists(removedAt)');
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new ApiError('conflict', `There is an edge ${id} already. Remove it first, or choose another id.`);
  }
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
  try {
    await writeEdge(id, fields, 'attribute_exists(id) AND attribute_not_exists(removedAt)');
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new ApiError('notFound', 'Edge not found.');
  }
}

/**
 * Takes an edge out of service at once. It stays in the registry, unseen, until the purges that wait for it have
 * been let go.
 * @throws ApiError `notFound`
 */
export async function removeEdge(id: string): Promise<void> {
  try {
    await dynamodb().send(
      new UpdateCommand({
        TableName: tableName('edges'),
        Key: { registry, id },
        UpdateExpression: 'SET removedAt = :now',
        ConditionExpression: 'attribute_exists(id) AND attribute_not_exists(removedAt)',
        ExpressionAttributeValues: { ':now': new Date().toISOString() },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new ApiError('notFound', 'Edge not found.');
  }
}

/** Those in service, as they are stored. */
export async function listEdgeItems(): Promise<readonly EdgeItem[]> {
  return (await listAllItems()).filter(({ removedAt }) => removedAt === undefined);
}

/** Where every edge of the registry stands, those taken out of service included. */
export async function listEdgeStates(): Promise<readonly (EdgeState & { readonly id: string })[]> {
  return (await listAllItems()).map((item) => ({ id: item.id, ...stateOf(item) }));
}

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

/** Writes what the operator decides about an edge, and leaves alone what it has missed. */
async function writeEdge(id: string, fields: Partial<EdgeItem>, ConditionExpression: string): Promise<void> {
  const entries = Object.entries(fields);
  await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('edges'),
      Key: { registry, id },
      UpdateExpression: `SET ${entries.map(([name]) => `#${name} = :${name}`).join(', ')} REMOVE removedAt`,
      ConditionExpression,
      ExpressionAttributeNames: Object.fromEntries(entries.map(([name]) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
    }),
  );
}

async function newSecret({ id, driver, secret }: Edge): Promise<Partial<EdgeItem>> {
  if (!isDirect(driver)) return { encryptedSecret: null };
  return secret === undefined ? {} : { encryptedSecret: await encrypted(id, secret) };
}

async function listAllItems(): Promise<readonly EdgeItem[]> {
  return (await queryAll({
    TableName: tableName('edges'),
    KeyConditionExpression: 'registry = :registry',
    ExpressionAttributeValues: { ':registry': registry },
  })) as unknown as EdgeItem[];
}

/** A secret that cannot be had holds up its own edge only. */
async function openEdge(item: EdgeItem): Promise<RegisteredEdge> {
  const { id, driver, url, tier } = item;
  const secret = await secretOf(item).catch((error: unknown) => {
    console.error(JSON.stringify({ level: 'error', edgeId: id, message: 'no secret', error: String(error) }));
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
