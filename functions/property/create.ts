import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { hostnameTakenFailure } from '../../shared/property/hostname-table.ts';
import { Property } from '../../shared/property/property.ts';
import { CreateProperty, propertyInputTouches } from '../../shared/property/property-input.ts';
import { createProperty, createPropertyTouches } from '../../shared/property/property-table.ts';

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/property',
  access: 'account',
  summary: 'Create a property',
  description: 'Its host names belong to this property alone from then on.',
  failures: { conflict: hostnameTakenFailure },
  body: CreateProperty,
  data: Property,
  created: true,
  touches: touching(propertyInputTouches, createPropertyTouches),
});

export const handler = serve(endpoint, ({ caller, body, operation }) =>
  createProperty(caller.accountId, body, operation),
);
