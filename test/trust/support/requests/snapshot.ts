import { endpoints } from '../../../../functions/endpoints.ts';
import { plainRequest, withQuery } from './attack.ts';
import type { Tenant } from './tenant.ts';

/** Goes on without anybody’s doing: the time, and when a key was used last. */
const passing = ['lastUsedAt', 'from', 'to', 'series', 'credential'];

/** Everything that a tenant can read of its own, by endpoint. */
export async function everythingOf(tenant: Tenant): Promise<Readonly<Record<string, string>>> {
  const seen: Record<string, string> = {};
  for (const endpoint of Object.values(endpoints)) {
    if (endpoint.method !== 'GET' || endpoint.access !== 'account') continue;
    const plain = plainRequest(endpoint);
    const target = endpoint.list ? withQuery(plain.target, 'pageSize=100') : plain.target;
    const response = await tenant.send(tenant.filled({ ...plain, target }, endpoint));
    seen[endpoint.path] =
      typeof response === 'string'
        ? response
        : JSON.stringify(response.envelope, (name, value) => (passing.includes(name) ? undefined : value));
  }
  return seen;
}
