import type { ConfigDocument } from '../../../../shared/edge-config/document.ts';

/** A document of a property that serves one host name as it comes, but for what is given. */
export function configDocument(change: Partial<ConfigDocument> = {}): ConfigDocument {
  const { propertyId = 'one' } = change;
  return {
    propertyId,
    accountId: 'account',
    version: 1,
    hostnames: [{ hostname: `${propertyId}.example`, claimedAt: 1 }],
    status: 'active',
    origin: { url: 'http://127.0.0.1:1' },
    cache: {
      ttlSeconds: 120,
      browserTtlSeconds: null,
      staleWhileRevalidateSeconds: 0,
      staleIfErrorSeconds: 0,
      queryString: { mode: 'include', names: [] },
    },
    rules: [],
    ...change,
  };
}
