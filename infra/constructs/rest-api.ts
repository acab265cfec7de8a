import { CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
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
import { routes } from '../functions.ts';
import type { Options } from '../options.ts';
import { fallbackRoute, publicEndpoint } from '../stacks/acknowledgements.ts';
import { addGatewayResponses } from './gateway-responses.ts';

const stageName = 'api';

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
      deployOptions: { stageName },
    });
    addGatewayResponses(this.restApi, options.corsOrigins !== undefined);
    this.addEndpoints(functionNamed);
    this.addFallback(functionNamed('fallback'));
    this.addDomain(options);
    new CfnOutput(this, 'ApiUrl', { value: this.restApi.url }).overrideLogicalId('ApiUrl');
  }

  private addEndpoints(functionNamed: (name: string) => LambdaFunction): void {
    const authorizer = new RequestAuthorizer(this, 'Authorizer', {
      handler: functionNamed('authorizer'),
      identitySources: [],
      // A cached answer would let a revoked key in.
      resultsCacheTtl: Duration.seconds(0),
    });
    for (const { method, path, access, functionName } of routes) {
      const integration = new LambdaIntegration(functionNamed(functionName), {
        scopePermissionToMethod: false,
      });
      const isPublic = access === 'public';
      const protection = isPublic ? {} : { authorizer, authorizationType: AuthorizationType.CUSTOM };
      for (const spelling of new Set([path, lowerCasePath(path)])) {
        const added = this.restApi.root.resourceForPath(spelling).addMethod(method, integration, protection);
        if (isPublic) Validations.of(added).acknowledge(publicEndpoint);
      }
    }
  }

  private addFallback(fallback: LambdaFunction): void {
    const integration = new LambdaIntegration(fallback, { scopePermissionToMethod: false });
    const anyMethod = (resource: IResource) =>
      Validations.of(resource.addMethod('ANY', integration)).acknowledge(fallbackRoute);
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
  }
}

/** Lower case everywhere but in parameters' names, which must be the same for both spellings. */
function lowerCasePath(path: string): string {
  return path
    .split('/')
    .map((part) => (part.startsWith('{') ? part : part.toLowerCase()))
    .join('/');
}
