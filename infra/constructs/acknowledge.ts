import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Takes a finding of cdk-nag's AwsSolutions, on the construct and all within it, as meant to be so. */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
}
