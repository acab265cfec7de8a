import { type App, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { distributionArns } from '../constructs/distributions.ts';
import { EdgeNetwork } from '../constructs/edge-network.ts';
import { EncryptionKeys } from '../constructs/encryption-keys.ts';
import { pascalCase } from '../constructs/logical-id.ts';
import { Alarms } from '../constructs/monitoring/alarms.ts';
import { addDashboard } from '../constructs/monitoring/dashboard.ts';
import { edgeFigures } from '../constructs/monitoring/edge-figures.ts';
import { LoggedFaults } from '../constructs/monitoring/logged-faults.ts';
import { queueFigures } from '../constructs/monitoring/queue-figures.ts';
import { requestFigures } from '../constructs/monitoring/request-figures.ts';
import { Queues } from '../constructs/queues.ts';
import { ManagementApi } from '../constructs/rest-api.ts';
import { Secrets } from '../constructs/secrets.ts';
import { ServiceFunction } from '../constructs/service-function.ts';
import { SettingParameters } from '../constructs/setting-parameters.ts';
import { Tables } from '../constructs/tables.ts';
import { functionSources, routes } from '../definition/functions.ts';
import type { Options } from '../definition/options.ts';

/** Whoever asks it needs no credential, and each password takes tens of milliseconds and 46 MiB to check. */
const loginPath = '/api/Auth/Login';

/** The whole service. */
export class CdnManagementStack extends Stack {
  constructor(app: App, options: Options, bundles: string) {
    super(app, options.stackName, {
      description: 'Management API of a content delivery network',
      ...(options.domainName && { terminationProtection: true }),
    });
    const resources = {
      tables: new Tables(this, 'Tables'),
      queues: new Queues(this, 'Queues'),
      keys: new EncryptionKeys(this, 'EncryptionKeys'),
      secrets: new Secrets(this, 'Secrets'),
      settings: new SettingParameters(this, 'Settings'),
      distributionArns: distributionArns(this, options.cloudFrontDistributions),
    };
    const edgeNetwork = options.vpc && new EdgeNetwork(this, 'EdgeNetwork', options.vpc);
    const functions = new Map<string, ServiceFunction>();
    const endpointNames = routes.map(({ functionName }) => functionName);
    for (const source of functionSources) {
      const invokes = source.declaration.invokesEndpoints ? endpointNames : [];
      const { corsOrigins, loginConcurrency } = options;
      const concurrency = source.endpoint?.path === loginPath ? loginConcurrency : undefined;
      const props = { source, bundles, resources, invokes, corsOrigins, concurrency, edgeNetwork };
      functions.set(source.name, new ServiceFunction(this, pascalCase(source.name), props));
    }
    const functionNamed = (name: string): ServiceFunction => {
      const found = functions.get(name);
      if (!found) throw new Error(`There is no function ${name}`);
      return found;
    };
    const lambdaNamed = (name: string): LambdaFunction => functionNamed(name).function;
    const { restApi } = new ManagementApi(this, 'Api', lambdaNamed, options);
    const faults = new LoggedFaults(this, 'LoggedFaults', (name) => functionNamed(name).logGroup);
    const figures = [
      ...queueFigures(resources.queues),
      ...edgeFigures(lambdaNamed('catch-up-schedule'), faults),
      ...requestFigures(restApi, lambdaNamed('authorizer'), resources.tables),
    ];
    new Alarms(this, 'Alarms', figures, options);
    addDashboard(this, figures);
  }
}
