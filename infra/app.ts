import { join } from 'node:path';
import { OptionError } from './definition/options.ts';
import { checkSolutions } from './stacks/solutions-checks.ts';
import { buildApp } from './synthesize.ts';

try {
  const app = await buildApp({ bundles: join(import.meta.dirname, '..', 'build', 'functions') });
  checkSolutions(app);
  app.synth();
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
