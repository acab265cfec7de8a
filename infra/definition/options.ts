import * as z from 'zod';
import { distributionIdPattern } from '../../shared/edge/distribution.ts';
import { namesOf } from '../../shared/ground/names.ts';

const vpcPattern = /^(vpc-[0-9a-f]{8,17}):(subnet-[0-9a-f]{8,17}(?:,subnet-[0-9a-f]{8,17})*)$/;

/** A network that is there already, by its ids. */
export interface VpcIds {
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
}

/** What a deployment may choose, as CDK context: `-c domainName=api.example.com`. */
const Options = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,29}$/, 'must be 1 to 30 letters, digits and hyphens')
    .default('CdnManagement'),
  domainName: z.string().optional(),
  certificateArn: z.string().startsWith('arn:').optional(),
  /** Comma-separated, as browsers send them: `https://panel.example.com`. */
  corsOrigins: z
    .string()
    .refine((list) => list.split(',').every((origin) => URL.parse(origin)?.origin === origin), {
      error: 'must be origins like https://panel.example.com, separated by commas',
    })
    .optional(),
  alarmTopicArn: z.string().startsWith('arn:').optional(),
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

export const optionNames = namesOf(Options.shape);

/** @throws Error saying which option is wrong */
export function parseOptions(context: Readonly<Record<string, unknown>>): Options {
  const result = Options.safeParse(context);
  if (!result.success) throw new Error(`Wrong option in the CDK context:\n${z.prettifyError(result.error)}`);
  if (!result.data.domainName !== !result.data.certificateArn) {
    throw new Error('Give domainName and certificateArn together, or neither.');
  }
  return result.data;
}

function parseVpc(text: string): VpcIds {
  const [, vpcId = '', subnets = ''] = vpcPattern.exec(text) ?? [];
  return { vpcId, subnetIds: subnets.split(',') };
}
