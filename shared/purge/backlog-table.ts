import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { queryAll } from '../aws/read.ts';

/** Which of an edge's backlogs. */
export interface BacklogName {
  readonly edgeId: string;
  readonly backlog: number;
}

/** A property of which an edge has missed purges. */
export interface Missed {
  readonly propertyId: string;
  /** Id of the first purge that it may have missed; ids are in the order of time. */
  readonly since: string;
}

const keptSeconds = 400 * 24 * 3600;
const remembered = 10_000;

/** What this process has noted itself, so that each purge after the first of a property costs no write. */
const noted = new Map<string, string>();

/** Makes sure that whoever works the backlog off looks at the property's purges from the given one on. */
export async function noteMissed(name: BacklogName, missed: Missed, now: Date): Promise<void> {
  const key = keyOf(name);
  const place = `${key}/${missed.propertyId}`;
  const known = noted.get(place);
  if (known !== undefined && known <= missed.since) return;
  await write(key, missed, now);
  if (noted.size >= remembered) noted.clear();
  noted.set(place, missed.since);
}

export async function listMissed(name: BacklogName): Promise<readonly Missed[]> {
  return (
    await queryAll({
      TableName: tableName('edgeBacklogs'),
      KeyConditionExpression: 'backlog = :backlog',
      ExpressionAttributeValues: { ':backlog': keyOf(name) },
    })
  ).map(({ propertyId, since }) => ({ propertyId: String(propertyId), since: String(since) }));
}

function keyOf({ edgeId, backlog }: BacklogName): string {
  return `${edgeId}#${backlog}`;
}

async function write(key: string, { propertyId, since }: Missed, now: Date): Promise<void> {
  await dynamodb()
    .send(
      new UpdateCommand({
        TableName: tableName('edgeBacklogs'),
        Key: { backlog: key, propertyId },
        UpdateExpression: 'SET since = :since, expiresAt = :expiry',
        ConditionExpression: 'attribute_not_exists(since) OR since > :since',
        ExpressionAttributeValues: {
          ':since': since,
          ':expiry': Math.floor(now.getTime() / 1000) + keptSeconds,
        },
      }),
    )
    .catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
}
