import * as z from 'zod';

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
});
export type Options = z.output<typeof Options>;

export const optionNames = Object.keys(Options.shape) as readonly (keyof Options)[];

/** @throws Error saying which option is wrong */
export const parseOptions = (context: Readonly<Record<string, unknown>>): Options => {
  const result = Options.safeParse(context);
  if (!result.success) throw new Error(`Wrong option in the CDK context:\n${z.prettifyError(result.error)}`);
  if (!result.data.domainName !== !result.data.certificateArn) {
    throw new Error('Give domainName and certificateArn together, or neither.');
  }
  return result.data;
};
