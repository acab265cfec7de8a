import type { Stack } from 'aws-cdk-lib';

/** ARNs of CloudFront distributions of the stack's own account; they belong to no region. */
export function distributionArns(stack: Stack, ids: readonly string[] = []): readonly string[] {
  return ids.map((id) =>
    stack.formatArn({ service: 'cloudfront', region: '', resource: 'distribution', resourceName: id }),
  );
}
