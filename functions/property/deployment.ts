import { Deployment, readDeployment, readDeploymentTouches } from '../../shared/edge-config/deployment.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/property/{propertyId}/deployment',
  access: 'account',
  summary: 'See which version of a property’s configuration edges run',
  description:
    'Only edges that the API configures are shown; an edge says with its next poll what it runs. The version is the configuration’s own, and no version for If-Match.',
  data: Deployment,
  touches: readDeploymentTouches,
});

export const handler = serve(endpoint, ({ caller, params }) =>
  readDeployment(caller.accountId, params.propertyId),
);
