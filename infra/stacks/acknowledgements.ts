interface Acknowledgement {
  readonly id: string;
  readonly reason: string;
}

const rule = (name: string, reason: string): Acknowledgement => ({
  id: `AwsSolutions::AwsSolutions-${name}`,
  reason,
});

/** Rules of cdk-nag's AwsSolutions that the whole stack does not follow, each with its reason. */
export const acknowledgements: readonly Acknowledgement[] = [
  rule(
    'APIG1',
    'Access logs need an account-wide role that belongs to the operator; functions log what fails.',
  ),
  rule('APIG2', 'Each function validates its requests itself, with messages that name every field at fault.'),
  rule('APIG3', 'A web ACL is the operator’s choice and can be associated with the stage.'),
  rule('APIG6', 'Execution logs need the account-wide role too, and would hold credentials.'),
  rule('COG4', 'Callers are API keys and this service’s own users; the custom authorizer checks both.'),
];

/** For routes that answer anybody or authenticate in their function. */
export const unauthorizedRoute = rule(
  'APIG4',
  'The fallback answers 404 and 405 to anybody and authenticates in process before it hands anything on.',
);
