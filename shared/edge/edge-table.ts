import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { decrypt, encrypt } from '../aws/kms.ts';
import { queryAll } from '../aws/read.ts';
import { ApiError } from '../http/api-error.ts';
import type { BatchDriverName } from './backends.ts';
import type { Edge } from './edge.ts';

/** All edges are in one partition: there are tens of them, and every purge needs them all. */
const registry = 'edges';

/** What is stored of an edge: its secret only as ciphertext, its log token only as a hash. */
export interface EdgeItem extends Omit<Edge, 'secret'> {
  readonly registry: typeof registry;
  /** Not there where the backend has no secret. */
  readonly encryptedSecret?: Uint8Array;
  readonly tokenHash: string;
  readonly createdAt: string;
}

/** An edge whose secret is known, or whose backend has none. */
export type NewEdge = Edge &
  ({ readonly secret: string } | { readonly driver: BatchDriverName; readonly secret: undefined });

const toItem = async ({ secret, ...rest }: NewEdge, tokenHash: string, now: Date): Promise<EdgeItem> => {
  const item = { registry, ...rest, tokenHash, createdAt: now.toISOString() } as const;
  if (secret === undefined) return item;
  return { ...item, encryptedSecret: await encrypt('edgeSecrets', secret, { edgeId: rest.id }) };
};

/** @throws ApiError `conflict` when the id is taken */
export const addEdge = async (edge: NewEdge, tokenHash: string, now = new Date()): Promise<void> => {
  try {
    await dynamodb().send(
      new PutCommand({
        TableName: tableName('edges'),
        Item: await toItem(edge, tokenHash, now),
        ConditionExpression: 'attribute_not_exists(id)',
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new ApiError(
      'conflict',
      `There is an edge ${edge.id} already. Remove it first, or choose another id.`,
    );
  }
};

/** Puts an edge in the place of the one with its id, without a moment in which there is none. */
export const replaceEdge = async (edge: NewEdge, tokenHash: string, now = new Date()): Promise<void> => {
  const Item = await toItem(edge, tokenHash, now);
  await dynamodb().send(new PutCommand({ TableName: tableName('edges'), Item }));
};

/** @throws ApiError `notFound` */
export const removeEdge = async (id: string): Promise<void> => {
  try {
    await dynamodb().send(
      new DeleteCommand({
        TableName: tableName('edges'),
        Key: { registry, id },
        ConditionExpression: 'attribute_exists(id)',
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new ApiError('notFound', 'Edge not found.');
  }
};

export const listEdgeItems = async (): Promise<readonly EdgeItem[]> =>
  (await queryAll({
    TableName: tableName('edges'),
    KeyConditionExpression: 'registry = :registry',
    ExpressionAttributeValues: { ':registry': registry },
  })) as unknown as EdgeItem[];

const decrypted = new Map<string, string>();

const secretOf = async ({ id, encryptedSecret }: EdgeItem): Promise<string | undefined> => {
  if (!encryptedSecret) return undefined;
  const ciphertext = `${id} ${Buffer.from(encryptedSecret).toString('base64')}`;
  const known = decrypted.get(ciphertext);
  if (known !== undefined) return known;
  const secret = await decrypt('edgeSecrets', encryptedSecret, { edgeId: id });
  decrypted.set(ciphertext, secret);
  return secret;
};

/** A secret that cannot be had holds up its own edge only. */
const openEdge = async (item: EdgeItem): Promise<Edge> => {
  const { id, driver, url, tier } = item;
  const secret = await secretOf(item).catch((error: unknown) => {
    console.error(JSON.stringify({ level: 'error', edgeId: id, message: 'no secret', error: String(error) }));
    return undefined;
  });
  return { id, driver, url, tier, secret };
};

/** Every registered edge, ready to be asked; KMS is asked once per secret and process. */
export const listEdges = async (): Promise<readonly Edge[]> =>
  Promise.all((await listEdgeItems()).map(openEdge));
