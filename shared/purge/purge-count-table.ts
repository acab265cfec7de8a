import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { queryAll } from '../aws/read.ts';
import type { AcceptedPurge } from './purge.ts';

const secondsInADay = 24 * 3600;
const keptDays = 30;

/** All purges of one day end together, so that a day's count never needs to know which of them are left. */
export function keepUntil(createdAt: string): number {
  return midnightAfter(createdAt) + keptDays * secondsInADay;
}

/** Adds to how many purges the property had that day. */
export async function countPurge(
  { propertyId, createdAt }: AcceptedPurge,
  difference: 1 | -1,
): Promise<void> {
  await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('purges'),
      Key: { propertyId: countsOf(propertyId), id: dayOf(createdAt) },
      UpdateExpression: 'SET expiresAt = :expiry ADD purges :difference',
      ExpressionAttributeValues: { ':expiry': keepUntil(createdAt), ':difference': difference },
    }),
  );
}

/** How many purges of the property have not expired, at the cost of one read for each day. */
export async function countPurges(propertyId: string, now: Date): Promise<number> {
  const days = await queryAll({
    TableName: tableName('purges'),
    KeyConditionExpression: 'propertyId = :counts',
    ExpressionAttributeValues: { ':counts': countsOf(propertyId) },
  });
  return days
    .filter(({ expiresAt }) => Number(expiresAt) * 1000 > now.getTime())
    .reduce((sum, { purges }) => sum + Number(purges), 0);
}

function midnightAfter(timestamp: string): number {
  return Date.parse(`${dayOf(timestamp)}T00:00:00Z`) / 1000 + secondsInADay;
}

function dayOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

function countsOf(propertyId: string): string {
  return `${propertyId}#days`;
}
