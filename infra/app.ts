import { join } from 'node:path';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { buildApp } from './synthesize.ts';

const app = await buildApp({ bundles: join(import.meta.dirname, '..', 'build', 'functions') });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
