import { App } from 'aws-cdk-lib';
import { ASSET_RESOURCE_METADATA_ENABLED_CONTEXT } from 'aws-cdk-lib/cx-api';
import cdk from '../cdk.json' with { type: 'json' };
import { bundleFunctions } from './bundling/bundle.ts';
import { parseOptions } from './definition/options.ts';
import { CdnManagementStack } from './stacks/cdn-management-stack.ts';

/** Where an app is built: the bundles of its functions, and the cloud assembly. */
interface Build {
  readonly bundles: string;
  readonly assembly?: string;
  /** Options beside those of the CDK's own context. */
  readonly options?: Readonly<Record<string, string>>;
}

/** Bundles the functions and builds the app around them; the caller synthesizes it. */
export async function buildApp(build: Build): Promise<App> {
  // Wrong options are refused before the long work.
  const { app, options } = begin(build);
  await bundleFunctions(build.bundles);
  new CdnManagementStack(app, options, build.bundles);
  return app;
}

/** The app around functions that are bundled already. */
export function makeApp(build: Build): App {
  const { app, options } = begin(build);
  new CdnManagementStack(app, options, build.bundles);
  return app;
}

function begin({ assembly, options }: Build) {
  // Feature flags, which only the CDK's own command would read, so that every way to an app makes the same one; and where
  // each function's code lies in the assembly, which the local run and `sam local` go by.
  const context = { ...cdk.context, ...options, [ASSET_RESOURCE_METADATA_ENABLED_CONTEXT]: true };
  const app = new App({ ...(assembly && { outdir: assembly }), analyticsReporting: false, context });
  return { app, options: parseOptions(app.node.getAllContext()) };
}
