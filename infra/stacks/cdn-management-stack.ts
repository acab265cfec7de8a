import { type App, Stack } from 'aws-cdk-lib';
import { Alarms } from '../constructs/alarms.ts';
import { distributionArns } from '../constructs/distributions.ts';
import { EdgeNetwork } from '../constructs/edge-network.ts';
import { EncryptionKeys } from '../constructs/encryption-keys.ts';
import { pascalCase } from '../constructs/logical-id.ts';
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
    const { restApi } = new ManagementApi(this, 'Api', (name) => functionNamed(name).function, options);
    const scheduleLogs = functionNamed('catch-up-schedule').logGroup;
    new Alarms(this, 'Alarms', { queues: resources.queues, api: restApi, scheduleLogs }, options);
  }
}
