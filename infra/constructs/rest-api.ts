import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import {
  AuthorizationType,
  EndpointType,
  type IResource,
  LambdaIntegration,
  RequestAuthorizer,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { routes } from '../definition/functions.ts';
import type { Options } from '../definition/options.ts';
import { accessLog } from './access-log.ts';
import { acknowledge } from './acknowledge.ts';
import { addGatewayResponses } from './gateway-responses.ts';

const stageName = 'api';

const publicReason =
  'Logging in needs no credential but what the body holds, and the description is for everybody.';
const fallbackReason =
  'The fallback gives 404, 405 and the way to the description to anybody, and authenticates in process before it hands anything on.';

/** The REST API: each endpoint's documented and lower-case spelling, and the fallback for all others. */
export class ManagementApi extends Construct {
  readonly restApi: RestApi;

  constructor(
    scope: Construct,
    id: string,
    functionNamed: (name: string) => LambdaFunction,
    options: Options,
  ) {
    super(scope, id);
    this.restApi = new RestApi(this, 'RestApi', {
      restApiName: Stack.of(this).stackName,
      endpointTypes: [EndpointType.REGIONAL],
      // Otherwise bodies are read as text, and invalid UTF-8 and gzip are destroyed before any function sees them.
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: false,
      deployOptions: { stageName, ...accessLog(this, options) },
    });
    this.acknowledgeStage();
    addGatewayResponses(this.restApi, options.corsOrigins !== undefined);
    this.addEndpoints(functionNamed);
    this.addFallback(functionNamed('fallback'));
    this.addDomain(options);
    // The construct's own output of the same address, under a name of its own.
    this.restApi.node.tryRemoveChild('Endpoint');
    new CfnOutput(this, 'ApiUrl', { value: this.restApi.url }).overrideLogicalId('ApiUrl');
  }

  private acknowledgeStage(): void {
    acknowledge(this, 'APIG3', 'A web ACL is the operator’s choice and can be associated with the stage.');
    acknowledge(
      this,
      'APIG6',
      'Execution logs need a role of the whole account, and would hold credentials.',
    );
  }

  private addEndpoints(functionNamed: (name: string) => LambdaFunction): void {
    const authorizer = new RequestAuthorizer(this, 'Authorizer', {
      handler: functionNamed('authorizer'),
      identitySources: [],
      // A cached response would let a revoked key in.
      resultsCacheTtl: Duration.seconds(0),
    });
    acknowledge(
      this,
      'APIG2',
      'Each function validates its requests itself, with messages that name every field at fault.',
    );
    acknowledge(
      this,
      'COG4',
      'Callers are API keys and this service’s own users; the custom authorizer checks both.',
    );
    for (const { method, path, access, functionName } of routes) {
      const integration = new LambdaIntegration(functionNamed(functionName), {
        scopePermissionToMethod: false,
      });
      const isPublic = access === 'public';
      const protection = isPublic ? {} : { authorizer, authorizationType: AuthorizationType.CUSTOM };
      for (const spelling of new Set([path, lowerCasePath(path)])) {
        const added = this.restApi.root.resourceForPath(spelling).addMethod(method, integration, protection);
        if (isPublic) acknowledge(added, 'APIG4', publicReason);
      }
    }
  }

  private addFallback(fallback: LambdaFunction): void {
    const integration = new LambdaIntegration(fallback, { scopePermissionToMethod: false });
    const anyMethod = (resource: IResource) =>
      acknowledge(resource.addMethod('ANY', integration), 'APIG4', fallbackReason);
    anyMethod(this.restApi.root);
    anyMethod(this.restApi.root.addResource('{proxy+}'));
  }

  private addDomain({ domainName, certificateArn }: Options): void {
    if (!domainName || !certificateArn) return;
    const domain = this.restApi.addDomainName('Domain', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new CfnOutput(this, 'DomainTarget', { value: domain.domainNameAliasDomainName });
    new CfnOutput(this, 'DomainUrl', { value: `https://${domainName}/` }).overrideLogicalId('DomainUrl');
  }
}

/** Lower case everywhere but in parameters' names, which must be the same for both spellings. */
function lowerCasePath(path: string): string {
  return path
    .split('/')
    .map((part) => (part.startsWith('{') ? part : part.toLowerCase()))
    .join('/');
}
