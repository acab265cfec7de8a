import { buildApp } from '../../synthesize.ts';

const [bundles = '', assembly = ''] = process.argv.slice(2);

// The run that asked for it is gone.
process.once('disconnect', () => process.exit(1));
// The template is checked when it is synthesized for a deployment; here that would only delay the start.
process.env.CDK_VALIDATION ??= 'false';

try {
  (await buildApp({ bundles, assembly })).synth();
  process.exit(0);
} catch (error) {
  process.send?.({ message: error instanceof Error ? error.message : String(error) }, () => process.exit(1));
}
