import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { distributionIdPattern } from '../../shared/edge/distribution.ts';
import { namesOf } from '../../shared/ground/names.ts';

const vpcPattern = /^(vpc-[0-9a-f]{8,17}):(subnet-[0-9a-f]{8,17}(?:,subnet-[0-9a-f]{8,17})*)$/;

/** A network that is there already, by its ids. */
export interface VpcIds {
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
}

/** How many days CloudWatch can keep a log. */
const retentionDays = Object.values(RetentionDays).filter(
  (days) => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

const Arn = z.string().startsWith('arn:', 'must be an ARN, which begins with arn:');

/** What a deployment may choose, as CDK context: `-c domainName=api.example.com`. */
const Options = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,29}$/, 'must be 1 to 30 letters, digits and hyphens')
    .default('CdnManagement'),
  domainName: z.string().optional(),
  certificateArn: Arn.optional(),
  /** Comma-separated, as browsers send them: `https://panel.example.com`. */
  corsOrigins: z
    .string()
    .refine((list) => list.split(',').every((origin) => URL.parse(origin)?.origin === origin), {
      error: 'must be origins like https://panel.example.com, separated by commas',
    })
    .optional(),
  alarmTopicArn: Arn.optional(),
  /** For how many days each request's line is kept; no access log by default. */
  accessLogDays: z
    .enum(retentionDays.map(String), `must be one of ${retentionDays.join(', ')}`)
    .transform(Number)
    .optional(),
  /** How many logins are handled at a time, so that a flood of them leaves purges their share of Lambda; no limit by default. */
  loginConcurrency: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, 'must be a number from 1 to 9999')
    .transform(Number)
    .optional(),
  /** Where the functions that reach edges run: `vpc-0a1b2c3d:subnet-0a1b2c3d,subnet-4e5f6a7b`. */
  vpc: z.string().regex(vpcPattern, 'must be VPC_ID:SUBNET_ID,SUBNET_ID').transform(parseVpc).optional(),
  /** Ids of the distributions of this account that the service may invalidate, separated by commas. */
  cloudFrontDistributions: z
    .string()
    .transform((list) => list.split(','))
    .refine((ids) => ids.every((id) => distributionIdPattern.test(id)), {
      error: 'must be distribution ids like E2QWRUHAPOMQZL, separated by commas',
    })
    .optional(),
});
export type Options = z.output<typeof Options>;
/** As they are given. */
export type OptionTexts = z.input<typeof Options>;

const optionNames = namesOf(Options.shape);

/** Something that whoever deploys can fix: one line. */
export class OptionError extends Error {}

/**
 * What the CDK and its command keep in the context themselves: feature flags, settings and what was looked up in the
 * account. Options have names of letters alone.
 */
const cdkKeyPattern = /[:/@]|^(cli-telemetry|acknowledged-issue-numbers)$/;

/**
 * @param context all of it; what belongs to the CDK is left alone
 * @throws OptionError saying which options are wrong or unknown
 */
export function parseOptions(context: Readonly<Record<string, unknown>>): Options {
  const given = Object.entries(context).filter(([name]) => !cdkKeyPattern.test(name));
  const unknown = given.map(([name]) => name).filter((name) => !Object.hasOwn(Options.shape, name));
  if (unknown.length > 0)
    throw new OptionError(`There is no option ${unknown.join(', ')}. Options are ${optionNames.join(', ')}.`);
  const result = Options.safeParse(Object.fromEntries(given));
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new OptionError(`Wrong option: ${faults.join('; ')}.`);
  }
  if (!result.data.domainName !== !result.data.certificateArn) {
    throw new OptionError('Give the options domainName and certificateArn together, or neither.');
  }
  return result.data;
}

function parseVpc(text: string): VpcIds {
  const [, vpcId = '', subnets = ''] = vpcPattern.exec(text) ?? [];
  return { vpcId, subnetIds: subnets.split(',') };
}
