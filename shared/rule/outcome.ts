import * as z from 'zod';
import type { Property } from '../property/property.ts';
import type { Action } from './action.ts';
import { aspectsOf } from './conflicts.ts';
import type { EvaluatedRequest } from './evaluated-request.ts';

const HeaderChanges = z.record(z.string(), z.string().nullable());

/** What an edge does with a request. */
export const Outcome = z.object({
  cacheTtlSeconds: z
    .int()
    .nullable()
    .describe(
      'How long the edge keeps the response; null where it keeps none: on bypass, block and redirect.',
    ),
  browserTtlSeconds: z
    .int()
    .nullable()
    .describe('How long browsers may keep the response; null is as the origin says, 0 not at all.'),
  bypass: z.boolean().describe('Whether the request passes the cache by.'),
  block: z.boolean().describe('Whether the edge responds with 403 itself.'),
  forceHttps: z
    .boolean()
    .describe('Whether http is redirected to the same URL on https. Block and redirect go before it.'),
  ignoreQueryString: z
    .union([z.boolean(), z.array(z.string())])
    .describe(
      'What the cache’s key leaves out: true the whole query, an array these parameters, false none.',
    ),
  redirect: z
    .object({
      location: z.string().describe('Where to.'),
      status: z.int().describe('Status of the redirect.'),
    })
    .nullable()
    .describe('The redirect that the edge responds with; null for none.'),
  path: z.string().nullable().describe('The path that is asked of the origin instead; null for the same.'),
  requestHeaders: HeaderChanges.describe('Headers set on the request to the origin; null removes one.'),
  responseHeaders: HeaderChanges.describe('Headers set on the response to the client; null removes one.'),
  cacheTtlOverridesOrigin: z
    .boolean()
    .describe(
      'Which of two meanings cacheTtlSeconds has. True where a rule’s cacheTtl decided it: it overrides the origin’s max-age and no-cache. False where it is the property’s, which only counts where the origin says nothing, and where it is null. Neither overrides private, no-store and Set-Cookie.',
    ),
});
export type Outcome = z.output<typeof Outcome>;

type CacheSettings = Property['cache'];
type ActionOf<Type extends Action['type']> = Extract<Action, { type: Type }>;

/** @param actions of all matching rules, in their order; what none decides the property's cache settings do */
export function outcomeOf(
  actions: readonly Action[],
  { query }: Pick<EvaluatedRequest, 'query'>,
  cache: CacheSettings,
): Outcome {
  const decided = lastOnes(actions);
  const all = <Type extends Action['type']>(type: Type): ActionOf<Type>[] =>
    decided.filter((action): action is ActionOf<Type> => action.type === type);
  const changes = (
    set: 'setRequestHeader' | 'setResponseHeader',
    remove: 'removeRequestHeader' | 'removeResponseHeader',
  ) =>
    Object.fromEntries([
      ...all(set).map(({ name, value }) => [name, value] as const),
      ...all(remove).map(({ name }) => [name, null] as const),
    ]);
  const [ignore] = all('ignoreQueryString');
  const [redirect] = all('redirect');
  const bypass = all('bypassCache').length > 0;
  const block = all('block').length > 0;
  const cached = !bypass && !block && !redirect;
  const [cacheTtl] = cached ? all('cacheTtl') : [];
  return {
    cacheTtlSeconds: cached ? (cacheTtl?.seconds ?? cache.ttlSeconds) : null,
    browserTtlSeconds: all('browserTtl')[0]?.seconds ?? cache.browserTtlSeconds,
    bypass,
    block,
    forceHttps: all('forceHttps').length > 0,
    ignoreQueryString: ignore ? (ignore.names ?? true) : ignoredByDefault(cache.queryString, query),
    redirect: redirect ? { location: redirect.location, status: redirect.status } : null,
    path: all('rewritePath')[0]?.path ?? null,
    requestHeaders: changes('setRequestHeader', 'removeRequestHeader'),
    responseHeaders: changes('setResponseHeader', 'removeResponseHeader'),
    cacheTtlOverridesOrigin: cacheTtl !== undefined,
  };
}

/** The last action on each aspect: a later rule overrides an earlier one. */
function lastOnes(actions: readonly Action[]): readonly Action[] {
  const last = new Map<string, Action>();
  for (const action of actions) for (const aspect of aspectsOf(action)) last.set(aspect, action);
  return [...new Set(last.values())];
}

function ignoredByDefault(
  { mode, names }: CacheSettings['queryString'],
  query: URLSearchParams,
): boolean | string[] {
  switch (mode) {
    case 'include':
      return false;
    case 'ignore':
      return true;
    case 'deny':
      return listOrFalse(names);
    case 'allow':
      return listOrFalse([...new Set(query.keys())].filter((name) => !names.includes(name)));
  }
}

function listOrFalse(names: readonly string[]): string[] | false {
  return names.length > 0 ? [...names] : false;
}
