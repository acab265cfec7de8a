import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import type { Touches } from '../ground/resources.ts';

/** What every endpoint that takes an Idempotency-Key must be allowed to do. */
export const idempotencyTouches = {
  tables: { idempotency: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] },
} as const satisfies Touches;

const keptSeconds = 24 * 3600;
const claimMilliseconds = 30_000;

/** An answer that is given again. */
export interface KeptAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One use of an Idempotency-Key. A retry finishes the work of the first, so both make the same record. */
export interface Claim {
  /** Account, and a hash of path, query and key. */
  readonly key: string;
  readonly bodyHash: string;
  /** Id of the record that the work makes. */
  readonly workId: string;
  /** When the work was first begun, ISO 8601. */
  readonly begunAt: string;
  /** Unix milliseconds; a claim whose process died ends then. */
  readonly claimedUntil: number;
  readonly answer?: KeptAnswer;
}

/** @returns the claim, or undefined when another use of the key was first */
export async function claimKey(
  claim: Pick<Claim, 'key' | 'bodyHash' | 'workId'>,
  now: Date,
): Promise<Claim | undefined> {
  const made: Claim = {
    ...claim,
    begunAt: now.toISOString(),
    claimedUntil: now.getTime() + claimMilliseconds,
  };
  const Item = { ...made, expiresAt: secondsOf(now.getTime()) + keptSeconds };
  try {
    await dynamodb().send(
      new PutCommand({
        TableName: tableName('idempotency'),
        Item,
        ConditionExpression: 'attribute_not_exists(#key) OR expiresAt <= :now',
        ExpressionAttributeNames: { '#key': 'key' },
        ExpressionAttributeValues: { ':now': secondsOf(now.getTime()) },
      }),
    );
    return made;
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

export async function readClaim(key: string): Promise<Claim | undefined> {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('idempotency'), Key: { key }, ConsistentRead: true }),
  );
  return Item as Claim | undefined;
}

/** Takes an abandoned claim over. @returns undefined when another retry was first */
export async function takeOver({ key, claimedUntil }: Claim, now: Date): Promise<Claim | undefined> {
  try {
    const { Attributes } = await dynamodb().send(
      new UpdateCommand({
        TableName: tableName('idempotency'),
        Key: { key },
        UpdateExpression: 'SET claimedUntil = :until',
        ConditionExpression: 'claimedUntil = :seen AND attribute_not_exists(answer)',
        ExpressionAttributeValues: { ':until': now.getTime() + claimMilliseconds, ':seen': claimedUntil },
        ReturnValues: 'ALL_NEW',
      }),
    );
    return Attributes as Claim;
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

export async function keepAnswer({ key }: Claim, answer: KeptAnswer): Promise<void> {
  await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('idempotency'),
      Key: { key },
      UpdateExpression: 'SET answer = :answer',
      ExpressionAttributeValues: { ':answer': answer },
    }),
  );
}

/** Lets the key be used again after a failure of which nothing is kept. */
export async function releaseKey(claim: Claim): Promise<void> {
  const input = { TableName: tableName('idempotency'), Key: { key: claim.key }, ...whileOurs(claim) };
  await dynamodb().send(new DeleteCommand(input)).catch(unlessTaken);
}

/** Lets a retry go on with the work at once. */
export async function abandonKey(claim: Claim): Promise<void> {
  const { ConditionExpression, ExpressionAttributeValues } = whileOurs(claim);
  await dynamodb()
    .send(
      new UpdateCommand({
        TableName: tableName('idempotency'),
        Key: { key: claim.key },
        UpdateExpression: 'SET claimedUntil = :over',
        ConditionExpression,
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ':over': 0 },
      }),
    )
    .catch(unlessTaken);
}

function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function isRefused(error: unknown): boolean {
  return error instanceof ConditionalCheckFailedException;
}

function whileOurs({ claimedUntil }: Claim) {
  return {
    ConditionExpression: 'claimedUntil = :seen AND attribute_not_exists(answer)',
    ExpressionAttributeValues: { ':seen': claimedUntil },
  };
}

function unlessTaken(error: unknown): void {
  if (!isRefused(error)) throw error;
}
