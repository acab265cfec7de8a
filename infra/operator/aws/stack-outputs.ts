import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { clientSettings } from '../../../shared/aws/client-settings.ts';

/** A deployed stack's outputs by their names. @throws Error where there is no such stack */
export async function stackOutputs(StackName: string): Promise<ReadonlyMap<string, string>> {
  const client = new CloudFormationClient(clientSettings());
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const outputs = Stacks[0]?.Outputs ?? [];
  return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}
