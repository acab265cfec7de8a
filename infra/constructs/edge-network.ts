import { Stack } from 'aws-cdk-lib';
import { CfnSecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { VpcIds } from '../definition/options.ts';
import { acknowledge } from './acknowledge.ts';

const createInterface = 'ec2:CreateNetworkInterface';
const deleteInterface = 'ec2:DeleteNetworkInterface';
const changeInterface = ['ec2:AssignPrivateIpAddresses', 'ec2:UnassignPrivateIpAddresses'];
const describe = ['ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets'];

const wildcardReason =
  'The ids of the network interfaces that Lambda makes are not known before, EC2 describes all or nothing, and the function’s own code is denied all of it.';
/** As cdk-nag writes the ARNs. */
const wildcards = ['*', ofEc2('network-interface/*'), ofEc2('*/*')];

function ofEc2(resource: string): string {
  return `arn:<AWS::Partition>:ec2:<AWS::Region>:<AWS::AccountId>:${resource}`;
}

/** The deployment's own network, in which the functions run that open connections to edges. */
export class EdgeNetwork extends Construct {
  /** Where such a function runs. */
  readonly vpcConfig: CfnFunction.VpcConfigProperty;
  private readonly arns: {
    readonly places: readonly string[];
    readonly interfaces: string;
    /** All that Lambda takes for the deletion of an interface: with anything less it refuses to make the function. */
    readonly anything: string;
  };

  constructor(scope: Construct, id: string, { vpcId, subnetIds }: VpcIds) {
    super(scope, id);
    const { attrGroupId } = new CfnSecurityGroup(this, 'SecurityGroup', {
      vpcId,
      groupDescription: 'Functions that reach edges: outbound only',
      securityGroupEgress: [{ ipProtocol: '-1', cidrIp: '0.0.0.0/0', description: 'Edges and AWS' }],
    });
    this.vpcConfig = { subnetIds: [...subnetIds], securityGroupIds: [attrGroupId] };
    const arn = (resource: string, resourceName: string): string =>
      Stack.of(this).formatArn({ service: 'ec2', resource, resourceName });
    this.arns = {
      places: [...subnetIds.map((subnetId) => arn('subnet', subnetId)), arn('security-group', attrGroupId)],
      interfaces: arn('network-interface', '*'),
      anything: arn('*', '*'),
    };
  }

  /**
   * Lambda makes a function's network interfaces in the name of its role. The ids of interfaces are not known
   * before, and EC2 describes all or nothing; so the function's own code is denied what its role allows Lambda.
   */
  statements(functionArn: string): readonly PolicyStatement[] {
    const { places, interfaces, anything } = this.arns;
    return [
      new PolicyStatement({ actions: [createInterface], resources: [...places, interfaces] }),
      new PolicyStatement({ actions: [deleteInterface], resources: [anything] }),
      new PolicyStatement({ actions: changeInterface, resources: [interfaces] }),
      new PolicyStatement({ actions: describe, resources: ['*'] }),
      new PolicyStatement({
        effect: Effect.DENY,
        actions: [createInterface, deleteInterface, ...changeInterface, ...describe],
        resources: ['*'],
        conditions: { ArnEquals: { 'lambda:SourceFunctionArn': functionArn } },
      }),
    ];
  }
  /** For the role that holds the statements. */
  acknowledgeStatements(role: Role): void {
    for (const resource of wildcards) acknowledge(role, `IAM5[Resource::${resource}]`, wildcardReason);
  }
}
