import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { deleteItem, getAttributes, putItem, table } from '../aws/table.ts';
import { isId } from '../ground/id.ts';
import type { Touches } from '../ground/resources.ts';
import { type AcceptedPurge, type PurgeKey, purgeKey } from './purge.ts';
import { keepUntil } from './purge-count-table.ts';

/** What is purged: written once, never changed, apart from the record that history and progress read and write. */
export interface PurgeContent {
  readonly hostnames: readonly string[];
  readonly values: readonly string[];
}

interface ContentItem extends PurgeKey {
  readonly hostnames: readonly string[];
  /** The values as deflated JSON. */
  readonly deflated: Uint8Array;
  /** Unix seconds. */
  readonly expiresAt: number;
}

const contents = table<'purgeContents', ContentItem>('purgeContents');
const Values = z.array(z.string());

export const putContentTouches = { tables: { purgeContents: ['PutItem'] } } as const satisfies Touches;

export async function putContent(purge: AcceptedPurge): Promise<void> {
  await putItem(contents, {
    ...purgeKey(purge),
    hostnames: purge.hostnames,
    deflated: deflateRawSync(JSON.stringify(purge.values)),
    expiresAt: keepUntil(purge.createdAt),
  });
}

export const deleteContentTouches = { tables: { purgeContents: ['DeleteItem'] } } as const satisfies Touches;

export async function deleteContent(purge: PurgeKey): Promise<void> {
  await deleteItem(contents, purgeKey(purge));
}

/** Of getHostnames too. */
export const getContentTouches = { tables: { purgeContents: ['GetItem'] } } as const satisfies Touches;

/** @returns undefined for a purge that does not exist */
export async function getContent(purge: PurgeKey): Promise<PurgeContent | undefined> {
  if (!isId(purge.id)) return undefined;
  const item = await getAttributes(contents, purgeKey(purge), ['deflated', 'hostnames']);
  if (!item) return undefined;
  const values = Values.parse(JSON.parse(inflateRawSync(item.deflated).toString('utf8')));
  return { values, hostnames: item.hostnames };
}

/** On which host names it purges; none for a purge that does not exist. */
export async function getHostnames(purge: PurgeKey): Promise<readonly string[]> {
  return (await getAttributes(contents, purgeKey(purge), ['hostnames']))?.hostnames ?? [];
}
