import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { hostnameTakenFailure } from '../../shared/property/hostname-table.ts';
import { Property } from '../../shared/property/property.ts';
import { updateProperty, updatePropertyTouches } from '../../shared/property/property-change-table.ts';
import { UpdateProperty } from '../../shared/property/property-input.ts';

export const endpoint = declareEndpoint({
  method: 'PATCH',
  path: '/api/property/{propertyId}',
  access: 'account',
  summary: 'Change a property by a merge patch',
  description:
    'What is left out stays as it is, arrays are replaced whole, and null sets a field back to its default.',
  failures: { conflict: hostnameTakenFailure },
  body: UpdateProperty,
  data: Property,
  touches: updatePropertyTouches,
});

export const handler = serve(endpoint, ({ caller, params, body, ifMatch }) =>
  updateProperty(caller.accountId, params.propertyId, body, ifMatch),
);
