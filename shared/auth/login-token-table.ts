import { createHash, randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import type { TransactionItems } from '../aws/transaction.ts';

const lifetimeSeconds = 5 * 60;
const maximumAttempts = 5;

export interface LoginAttempt {
  readonly username: string;
  /** Of the user's tokens when the password was given. */
  readonly generation: number;
}

/** @returns the interim token between password and second factor; only its hash is stored */
export async function createLoginToken(username: string, generation: number, now: Date): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const Item = {
    hash: hashOf(token),
    username,
    generation,
    attempts: 0,
    expiresAt: secondsOf(now) + lifetimeSeconds,
  };
  await dynamodb().send(new PutCommand({ TableName: tableName('loginTokens'), Item }));
  return token;
}

/**
 * Counts an attempt before its code is looked at.
 * @returns undefined when the token is unknown, expired, used or out of attempts
 */
export async function countLoginAttempt(token: string, now: Date): Promise<LoginAttempt | undefined> {
  try {
    const { Attributes } = await dynamodb().send(
      new UpdateCommand({
        TableName: tableName('loginTokens'),
        Key: { hash: hashOf(token) },
        UpdateExpression: 'ADD attempts :one',
        ConditionExpression: 'attribute_exists(username) AND attempts < :maximum AND expiresAt > :now',
        ExpressionAttributeValues: { ':one': 1, ':maximum': maximumAttempts, ':now': secondsOf(now) },
        ReturnValues: 'ALL_NEW',
      }),
    );
    return Attributes as LoginAttempt;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/** Ends the token, in the transaction that accepts its code: one login for one token. */
export function consumeLoginToken(token: string): TransactionItems[number] {
  return {
    Delete: {
      TableName: tableName('loginTokens'),
      Key: { hash: hashOf(token) },
      ConditionExpression: 'attribute_exists(username)',
    },
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function secondsOf(now: Date): number {
  return Math.floor(now.getTime() / 1000);
}
