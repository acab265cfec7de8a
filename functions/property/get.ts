import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { Property } from '../../shared/property/property.ts';
import { getProperty, getPropertyTouches } from '../../shared/property/property-table.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/property/{propertyId}',
  access: 'account',
  summary: 'Read a property',
  description: 'The version is the ETag too.',
  data: Property,
  touches: getPropertyTouches,
});

export const handler = serve(endpoint, ({ caller, params }) =>
  getProperty(caller.accountId, params.propertyId),
);
