import { join } from 'node:path';
import { checkSolutions } from './stacks/solutions-checks.ts';
import { buildApp } from './synthesize.ts';

const app = await buildApp({ bundles: join(import.meta.dirname, '..', 'build', 'functions') });
checkSolutions(app);
app.synth();
