interface Acknowledgement {
  readonly id: string;
  readonly reason: string;
}

/** Rules of cdk-nag's AwsSolutions that the whole stack does not follow, each with its reason. */
export const acknowledgements: readonly Acknowledgement[] = [
  rule(
    'APIG1',
    'Access logs need an account-wide role that belongs to the operator; functions log what fails.',
  ),
  rule('APIG2', 'Each function validates its requests itself, with messages that name every field at fault.'),
  rule('APIG3', 'A web ACL is the operator’s choice and can be associated with the stage.'),
  rule('APIG6', 'Execution logs need the account-wide role too, and would hold credentials.'),
  rule(
    'SMG4',
    'The signing key is rotated by the operator’s command, never within one token lifetime of the last.',
  ),
  rule('COG4', 'Callers are API keys and this service’s own users; the custom authorizer checks both.'),
];

export const fallbackRoute = rule(
  'APIG4',
  'The fallback answers 404 and 405 to anybody and authenticates in process before it hands anything on.',
);

export const publicEndpoint = rule(
  'APIG4',
  'Logging in needs no credential but what the body holds, and the description is for everybody.',
);

const interfaceReason =
  'The ids of the network interfaces that Lambda makes are not known before, EC2 describes all or nothing, and the function’s own code is denied all of it.';

/** What a role needs for its function to run in a network of the operator's. */
export const networkInterfaces: readonly Acknowledgement[] = [
  rule('IAM5[Resource::*]', interfaceReason),
  rule(
    'IAM5[Resource::arn:<AWS::Partition>:ec2:<AWS::Region>:<AWS::AccountId>:network-interface/*]',
    interfaceReason,
  ),
];

function rule(name: string, reason: string): Acknowledgement {
  return {
    id: `AwsSolutions::AwsSolutions-${name}`,
    reason,
  };
}
