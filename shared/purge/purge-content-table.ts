import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { deleteItem, getAttributes, putItem, table } from '../aws/table.ts';
import { isId } from '../ground/id.ts';
import type { Touches } from '../ground/resources.ts';
import type { AcceptedPurge, PurgeKey } from './purge.ts';
import { keepUntil } from './purge-count-table.ts';
import { type ShardedKey, shardedKey } from './purge-shards.ts';

/** What is purged. */
export interface PurgeContent {
  readonly hostnames: readonly string[];
  readonly values: readonly string[];
}

/** The content as it is stored: written once, never changed. */
export interface PackedContent {
  readonly hostnames: readonly string[];
  /** The values as deflated JSON. */
  readonly deflated: Uint8Array;
}

/** A content that is too large for its purge's record, which history and progress read and write. */
interface ContentItem extends ShardedKey, PackedContent {
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** With a content of so many bytes a record stays under 1 KB, what a write unit holds, beside the progress of 50 edges. */
const smallBytes = 256;

const contents = table<'purgeContents', ContentItem>('purgeContents');
const Values = z.array(z.string());

export function pack({ hostnames, values }: PurgeContent): PackedContent {
  return { hostnames, deflated: deflateRawSync(JSON.stringify(values)) };
}

export function unpack({ hostnames, deflated }: PackedContent): PurgeContent {
  const values = Values.parse(JSON.parse(inflateRawSync(deflated).toString('utf8')));
  return { values, hostnames };
}

/** Whether the content is kept in the purge's record. */
export function isSmall({ hostnames, deflated }: PackedContent): boolean {
  return hostnames.join('').length + deflated.length <= smallBytes;
}

export const putContentTouches = { tables: { purgeContents: ['PutItem'] } } as const satisfies Touches;

export async function putContent(purge: AcceptedPurge, packed: PackedContent): Promise<void> {
  const expiresAt = keepUntil(purge.createdAt);
  await putItem(contents, { ...shardedKey(purge), ...packed, expiresAt });
}

export const deleteContentTouches = { tables: { purgeContents: ['DeleteItem'] } } as const satisfies Touches;

export async function deleteContent(purge: PurgeKey): Promise<void> {
  await deleteItem(contents, shardedKey(purge));
}

/** Of getHostnames too. */
export const getContentTouches = { tables: { purgeContents: ['GetItem'] } } as const satisfies Touches;

/** A purge, with its content where that is small. */
type WithContent = PurgeKey & { readonly content?: PackedContent };

/** @returns undefined for a purge that does not exist */
export async function getContent(purge: WithContent): Promise<PurgeContent | undefined> {
  if (purge.content) return unpack(purge.content);
  if (!isId(purge.id)) return undefined;
  const item = await getAttributes(contents, shardedKey(purge), ['deflated', 'hostnames']);
  return item && unpack(item);
}

/** On which host names it purges; none for a purge that does not exist. */
export async function getHostnames(purge: WithContent): Promise<readonly string[]> {
  if (purge.content) return purge.content.hostnames;
  return (await getAttributes(contents, shardedKey(purge), ['hostnames']))?.hostnames ?? [];
}
