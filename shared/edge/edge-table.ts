import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { decrypt, encrypt } from '../aws/kms.ts';
import { queryAll } from '../aws/read.ts';
import { ApiError } from '../http/api-error.ts';
import type { Edge } from './edge.ts';

/** All edges are in one partition: there are tens of them, and every purge needs them all. */
const registry = 'edges';

/** What is stored of an edge: its secret only as ciphertext, its log token only as a hash. */
export interface EdgeItem extends Omit<Edge, 'secret'> {
  readonly registry: typeof registry;
  readonly encryptedSecret: Uint8Array;
  readonly tokenHash: string;
  readonly createdAt: string;
}

/** @throws ApiError `conflict` when the id is taken */
export const addEdge = async (edge: Edge, tokenHash: string, now = new Date()): Promise<void> => {
  const { secret, ...rest } = edge;
  const encryptedSecret = await encrypt('edgeSecrets', secret, { edgeId: edge.id });
  const item: EdgeItem = { registry, ...rest, encryptedSecret, tokenHash, createdAt: now.toISOString() };
  try {
    await dynamodb().send(
      new PutCommand({
        TableName: tableName('edges'),
        Item: item,
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

const secretOf = async ({ id, encryptedSecret }: EdgeItem): Promise<string> => {
  const ciphertext = `${id} ${Buffer.from(encryptedSecret).toString('base64')}`;
  const known = decrypted.get(ciphertext);
  if (known !== undefined) return known;
  const secret = await decrypt('edgeSecrets', encryptedSecret, { edgeId: id });
  decrypted.set(ciphertext, secret);
  return secret;
};

const openEdge = async (item: EdgeItem): Promise<Edge> => ({
  id: item.id,
  driver: item.driver,
  url: item.url,
  tier: item.tier,
  secret: await secretOf(item),
});

/** Every registered edge, ready to be asked; KMS is asked once per secret and process. */
export const listEdges = async (): Promise<readonly Edge[]> =>
  Promise.all((await listEdgeItems()).map(openEdge));
