import { domainToASCII } from 'node:url';
import { endpoints } from '../../../../functions/endpoints.ts';
import type { Endpoint } from '../../../../shared/http/endpoint.ts';
import { plainRequest, withQuery } from './attack.ts';
import { at, isObject, type Place, placesIn } from './json-places.ts';
import type { Tenant } from './tenant.ts';
import type { Outcome } from './wire.ts';

type Data = Readonly<Record<string, unknown>>;

const all = Object.values(endpoints);

/** The forms in which the description says that some texts are stored; all others are stored as they were sent. */
const documentedForms: readonly (readonly [place: RegExp, form: (text: string) => string])[] = [
  [/^hostnames\.\d+$/, (text) => domainToASCII(text)],
  [/^origin\.url$/, (text) => new URL(text).href.replace(/\/+$/, '')],
];

/**
 * What of a body that was accepted is not there again, in the response or when it is read.
 * @param sent the body
 * @param data what the response said was stored
 */
export async function readBackFaults(
  tenant: Tenant,
  endpoint: Endpoint,
  sent: unknown,
  data: Data,
): Promise<readonly string[]> {
  const stored = await readAgain(tenant, endpoint, data);
  if (stored === undefined) return [];
  const leaves = placesIn(sent).filter((place) => place.length > 0 && isLeaf(at(sent, place)));
  const isAll = leaves.every(([name = '']) => name in stored);
  const found = [stored, ...(isAll ? [] : await readBelow(tenant, endpoint, data))];
  return [
    ...(isSame(data, stored) ? [] : ['what is read differs from what the response said']),
    ...leaves
      .filter(([name = '']) => found.some((each) => name in each))
      .filter((place) => !found.some((each) => isThere(sent, each, place)))
      .map((place) => `${place.join('.')} does not read back as it was sent`),
  ];
}

/** Removes what was made, so that no limit is reached. */
export async function removeMade(tenant: Tenant, { path }: Endpoint, id: string): Promise<void> {
  const remover = all.find((each) => each.method === 'DELETE' && isOneOf(each.path, path));
  if (remover) await ask(tenant, remover, id);
}

/** By its own endpoint, or in the list where it was made; undefined where neither is. */
async function readAgain(tenant: Tenant, { method, path }: Endpoint, data: Data): Promise<Data | undefined> {
  const id = String(data.id ?? data.purgeId);
  const isCreate = method === 'POST';
  const reader = all.find(
    (each) => each.method === 'GET' && (isCreate ? isOneOf(each.path, path) : each.path === path),
  );
  if (reader) return dataOf(await ask(tenant, reader, isCreate ? id : undefined));
  const lister = all.find((each) => each.method === 'GET' && each.list && each.path === path);
  return lister && readFromList(tenant, lister, id);
}

/** What was made last stands first or last in its list. */
async function readFromList(tenant: Tenant, lister: Endpoint, id: string): Promise<Data | undefined> {
  const first = await ask(tenant, lister, undefined, 'pageSize=1');
  const total = typeof first === 'string' ? 1 : first.envelope.totalRecords;
  const last = await ask(tenant, lister, undefined, `pageSize=1&pageNumber=${total}`);
  return [...itemsOf(first), ...itemsOf(last)].find((item) => item.id === id) ?? {};
}

/** What lies in the lists below what was made: a ticket’s first message. */
async function readBelow(tenant: Tenant, { path }: Endpoint, data: Data): Promise<readonly Data[]> {
  const listers = all.filter((each) => each.list && isOneOf(each.path.replace(/\/[\w-]+$/, ''), path));
  const lists = listers.map(async (lister) => itemsOf(await ask(tenant, lister, String(data.id))));
  return (await Promise.all(lists)).flat();
}

/** True where a path is another one with an id after it. */
function isOneOf(path: string, parent: string): boolean {
  return path.startsWith(`${parent}/{`) && !path.slice(parent.length + 1).includes('/');
}

/** @param id in the place of the path’s last parameter */
function ask(tenant: Tenant, endpoint: Endpoint, id: string | undefined, page?: string): Promise<Outcome> {
  const plain = plainRequest(endpoint);
  const name = endpoint.path.match(/\{\w+\}/g)?.at(-1);
  const named = id === undefined || !name ? plain.target : plain.target.replace(name, id);
  return tenant.send(tenant.filled({ ...plain, target: page ? withQuery(named, page) : named }, endpoint));
}

function dataOf(response: Outcome): Data {
  return typeof response !== 'string' && isObject(response.data) ? response.data : {};
}

function itemsOf(response: Outcome): readonly Data[] {
  const { items } = dataOf(response);
  return Array.isArray(items) ? items.filter(isObject) : [];
}

/** Every field that the response had is read again with the same value, but for a secret shown once and what goes on. */
function isSame(data: Data, stored: Data): boolean {
  const changing = 'purgeId' in data ? ['purgeId', 'status', 'edges'] : ['key'];
  return Object.entries(data).every(([name, value]) => changing.includes(name) || same(value, stored[name]));
}

function isThere(sent: unknown, found: unknown, place: Place): boolean {
  const value = at(sent, place);
  const read = at(found, place);
  if (value === null || same(value, read)) return true;
  const form = documentedForms.find(([pattern]) => pattern.test(place.join('.')))?.[1];
  return typeof value === 'string' && form !== undefined && form(value) === read;
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
