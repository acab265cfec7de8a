import type { ApiClient, ApiResponse } from './api-client.ts';
import type { TestRun } from './test-run.ts';

/** An id that names nothing. */
export const missingId = '00000000000000000000000000';

let hosts = 0;

/** A rule that may be made. */
export function rule(changes: object = {}) {
  return {
    name: 'Rule',
    conditions: [],
    actions: [{ type: 'forceHttps' }],
    ...changes,
  };
}

export interface RulesOfProperty {
  readonly propertyId: string;
  readonly hostname: string;
  readonly path: string;
}

/** A property of the demo account without rules. */
export async function freshProperty(run: TestRun, changes: object = {}): Promise<RulesOfProperty> {
  const hostname = `rules-${++hosts}.example.com`;
  const { data } = await run.api.post('/api/property', {
    name: 'Rules',
    hostnames: [hostname],
    origin: { url: 'https://origin.example.com' },
    ...changes,
  });
  return { propertyId: data.id, hostname, path: `/api/property/${data.id}/rules` };
}

type Header = readonly [name: string, value: string];

function headersOf({ key }: ApiClient, ifMatch: string | undefined): readonly Header[] {
  return [['X-API-Key', key], ...(ifMatch === undefined ? [] : [['If-Match', ifMatch] as const])];
}

export function patch(api: ApiClient, path: string, body: object, ifMatch?: string): Promise<ApiResponse> {
  return api.send(path, { method: 'PATCH', headers: headersOf(api, ifMatch), body });
}

export function remove(api: ApiClient, path: string, ifMatch?: string): Promise<ApiResponse> {
  return api.send(path, { method: 'DELETE', headers: headersOf(api, ifMatch) });
}
